package dev.heddle.scenario;

import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hashes of the contents of files that a scenario names, each file read once. A name with {@code {rank}} stands for the
 * files of ranks 0, 1, 2 and so on, as long as there are any.
 */
final class InputContents {
  private static final String RANK = "{rank}";

  private final Map<Path, String> known = new LinkedHashMap<>();

  /**
   * One hash over the contents of files, in their order.
   *
   * @throws ScenarioException when one cannot be read
   */
  String hash(List<Path> files) {
    StringBuilder all = new StringBuilder();
    for (Path file : files) {
      all.append(known.computeIfAbsent(file, InputContents::content)).append(' ');
    }
    return all.toString();
  }

  private static String content(Path named) {
    String name = named.toString();
    if (!name.contains(RANK)) {
      return Files.isRegularFile(named) ? fileHash(named) : "absent";
    }
    StringBuilder all = new StringBuilder();
    for (int rank = 0;; rank++) {
      Path file = Path.of(name.replace(RANK, Integer.toString(rank)));
      if (!Files.isRegularFile(file)) {
        return Hashing.sha256().hashString(all, StandardCharsets.UTF_8).toString();
      }
      all.append(fileHash(file)).append(' ');
    }
  }

  private static String fileHash(Path file) {
    try {
      return MoreFiles.asByteSource(file).hash(Hashing.sha256()).toString();
    } catch (IOException e) {
      throw new ScenarioException(
          List.of(new Problem(file.toString(), 0, "", "cannot be read: " + Unreadable.reason(file, e))));
    }
  }
}
