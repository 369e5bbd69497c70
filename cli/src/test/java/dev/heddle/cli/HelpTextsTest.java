package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The helps that the launcher prints by itself. */
class HelpTextsTest {
  @TempDir
  private Path folder;

  @Test
  void shouldRecordWhatTheCommandPrintsForEachWidth() throws Exception {
    HelpTexts.main(new String[] {folder.toString()});
    assertThat(folder.resolve("80-plain")).hasContent(Cli.run("--help").out());
    assertThat(Files.readString(folder.resolve("80-colour"))).contains("\u001b[");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).hasSize(2 * (Main.WIDEST_HELP - Main.NARROWEST_HELP + 1));
    }
    for (int columns : new int[] {Main.NARROWEST_HELP, Main.WIDEST_HELP}) {
      assertThat(Files.readAllLines(folder.resolve(columns + "-plain")))
          .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
    }
  }
}
