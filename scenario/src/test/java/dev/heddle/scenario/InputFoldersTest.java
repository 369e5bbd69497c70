package dev.heddle.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputFoldersTest {
  @TempDir
  private Path folder;

  private Path inputs;

  @BeforeEach
  void write() throws Exception {
    inputs = folder.resolve("inputs");
    Files.createDirectories(inputs.resolve("traces"));
    Files.writeString(inputs.resolve("pairs.csv"), "");
    Files.writeString(inputs.resolve("traces/trace.0.et"), "");
    Files.writeString(folder.resolve("secret"), "");
    Files.createSymbolicLink(inputs.resolve("link"), folder.resolve("secret"));
  }

  @Test
  void shouldFindFileWhenItIsInFolder() {
    InputFolders folders = InputFolders.of(List.of(folder.resolve("none"), inputs));
    assertThat(folders.resolve(Path.of("pairs.csv"), "scenario.yaml")).isEqualTo(inputs.resolve("pairs.csv"));
    assertThat(folders.resolve(Path.of("traces/../pairs.csv"), "x")).isEqualTo(inputs.resolve("pairs.csv"));
    assertThat(folders.resolve(Path.of("traces/trace.{rank}.et"), "x"))
        .isEqualTo(inputs.resolve("traces/trace.{rank}.et"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../secret", "traces/../../secret", "/etc/passwd", "link", "traces", "none", "."})
  void shouldRefuseWhenFileIsElsewhere(String file) {
    assertThatThrownBy(() -> InputFolders.of(List.of(inputs)).resolve(Path.of(file), "scenario.yaml"))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("files may be named here");
    assertThatThrownBy(() -> InputFolders.of(List.of()).resolve(Path.of(file), "scenario.yaml"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldLookBesideScenarioWhenEveryFileMayBeNamed() {
    InputFolders all = new InputFolders(Optional.empty());
    assertThat(all.resolve(Path.of("a.csv"), inputs.resolve("pairs.csv").toString()))
        .isEqualTo(inputs.resolve("a.csv"));
    assertThat(all.resolve(Path.of("a.csv"), "--set x")).isEqualTo(Path.of("a.csv"));
    assertThat(all.property()).isEmpty();
    assertThat(InputFolders.of(List.of()).property()).contains("");
  }
}
