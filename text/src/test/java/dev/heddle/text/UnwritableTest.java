package dev.heddle.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnwritableTest {
  @TempDir
  private Path folder;

  @Test
  void shouldNameTheObstacleWhenAFileHasNoPlace() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    Path none = folder.resolve("none");
    assertThat(Unwritable.obstacle(folder)).contains("it is a folder; name a file");
    assertThat(Unwritable.obstacle(none.resolve("x"))).contains("there is no folder " + none);
    assertThat(Unwritable.obstacle(file.resolve("x"))).contains(file + " is a file, not a folder");
  }

  @Test
  void shouldFindNoObstacleAndChangeNothingWhenAFileCanBeWritten() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assertThat(Unwritable.obstacle(file)).isEmpty();
    assertThat(Unwritable.obstacle(folder.resolve("new"))).isEmpty();
    assertThat(Unwritable.obstacle(Path.of("new"))).isEmpty();
    assertThat(file).hasContent("text");
    assertThat(folder).isDirectoryNotContaining("glob:**new*");
  }

  @Test
  void shouldSayTheReasonInWordsWhenTheSystemRefuses() {
    Path file = folder.resolve("x");
    assertThat(Unwritable.reason(file, new IOException("No space left on device")))
        .isEqualTo("no space is left on the disk");
    assertThat(Unwritable.reason(file, new FileSystemException("x", null, "Read-only file system")))
        .isEqualTo("the file system is read-only");
    assertThat(Unwritable.reason(file, new AccessDeniedException("x"))).isEqualTo("access is denied");
    assertThat(Unwritable.folderReason(file, new FileSystemException("x"))).isEqualTo("the file system refuses it");
  }

  @Test
  void shouldNameTheFileWhenOneStandsInTheWayOfAFolder() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    assertThat(Unwritable.folderReason(file.resolve("a/b"), new FileSystemException("x")))
        .isEqualTo(file + " is a file, not a folder");
  }
}
