package dev.heddle.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFilesTest {
  @TempDir
  private Path folder;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static void write(WholeFiles files, Path file, String text) throws IOException {
    try (OutputStream out = files.open(file)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void shouldLeaveOldFilesAndNoOthersWhenWritingEndsEarly() throws IOException {
    Path old = Files.writeString(folder.resolve("a"), "old");
    try (WholeFiles files = new WholeFiles()) {
      write(files, old, "new");
      write(files, folder.resolve("b"), "new");
      assertThat(old).hasContent("old");
    }
    assertThat(names()).containsExactly("a");
    assertThat(old).hasContent("old");
  }

  @Test
  void shouldReplaceAllWhenCommitted() throws IOException {
    Path old = Files.writeString(folder.resolve("a"), "old");
    try (WholeFiles files = new WholeFiles()) {
      write(files, old, "new");
      write(files, folder.resolve("b"), "other");
      files.commit();
    }
    assertThat(names()).containsExactly("a", "b");
    assertThat(old).hasContent("new");
  }

  @Test
  void shouldWriteWhereALinkPointsWhenAFileIsALink() throws IOException {
    Path old = Files.writeString(folder.resolve("a"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), old);
    WholeFiles.write(link, "new");
    assertThat(link).isSymbolicLink();
    assertThat(old).hasContent("new");
  }

  @Test
  void shouldKeepTheDeviceWhenAFileIsOne() throws IOException {
    Path device = Path.of("/dev/null");
    if (Files.exists(device)) {
      WholeFiles.write(device, "text");
      assertThat(Files.isRegularFile(device)).isFalse();
    }
  }

  @Test
  void shouldBeSpecialWhenAFileIsTheStandardOutput() throws IOException {
    assertThat(WholeFiles.special(folder.resolve("a"))).isFalse();
    assertThat(WholeFiles.special(Files.writeString(folder.resolve("a"), ""))).isFalse();
    Path output = Path.of("/dev/stdout");
    assertThat(WholeFiles.special(output)).isEqualTo(Files.exists(output));
  }

  @Test
  void shouldFailAndLeaveNothingWhenTheFileIsAFolder() throws IOException {
    Path taken = Files.createDirectory(folder.resolve("a"));
    assertThatThrownBy(() -> WholeFiles.write(taken, "text")).isInstanceOf(IOException.class);
    assertThat(names()).containsExactly("a");
  }
}
