package dev.heddle.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The entry point by which the launcher records the program's help after a build: a file for each width that a help
 * has, plain and with colours, which the launcher prints without a virtual machine.
 */
public final class HelpTexts {
  private HelpTexts() {}

  /**
   * Writes the files, each named by its columns and {@code plain} or {@code colour}.
   *
   * @param args the folder, made where it is missing
   * @throws IOException when a file cannot be written
   */
  public static void main(String[] args) throws IOException {
    Main.prepare();
    Path folder = Files.createDirectories(Path.of(args[0]));
    for (int columns = Main.NARROWEST_HELP; columns <= Main.WIDEST_HELP; columns++) {
      Files.writeString(folder.resolve(columns + "-plain"), help(columns, false));
      Files.writeString(folder.resolve(columns + "-colour"), help(columns, true));
    }
  }

  private static String help(int columns, boolean colour) {
    StringWriter text = new StringWriter();
    PrintWriter errors = new PrintWriter(Writer.nullWriter());
    int code = Main.execute(
        new String[] {"--help"}, new Console(new PrintWriter(text), errors, columns, colour, false));
    if (code != Main.OK) {
      throw new IllegalStateException("the help ends with exit code " + code);
    }
    return text.toString();
  }
}
