package dev.heddle.cli;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unwritable;
import dev.heddle.text.WholeFiles;
import java.io.IOException;
import java.nio.file.Path;

/** A file that an option names: checked before the work, written whole or not at all after it. */
public final class OutputFile {
  private final String option;
  private final Path file;

  private OutputFile(String option, Path file) {
    this.option = option;
    this.file = file;
  }

  /**
   * Checks that a file can be written.
   *
   * @param option that names the file, such as {@code --out}
   * @throws InvalidSettingException when it cannot
   */
  public static OutputFile of(String option, Path file) {
    OutputFile output = new OutputFile(option, file);
    Unwritable.obstacle(file).ifPresent(reason -> {
      throw output.refused(reason);
    });
    return output;
  }

  /**
   * Writes the file in UTF-8.
   *
   * @throws InvalidSettingException when it cannot be written
   */
  public void write(String text) {
    try {
      WholeFiles.write(file, text);
    } catch (IOException e) {
      throw refused(Unwritable.reason(file, e));
    }
  }

  private InvalidSettingException refused(String reason) {
    return new InvalidSettingException("", option + " " + file + ": cannot be written: " + reason);
  }
}
