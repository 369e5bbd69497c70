package dev.heddle.cli;

import dev.heddle.scenario.ScenarioFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The points that the workers of a sweep have settled, read from the files of a folder that they share: {@code
 * points.jsonl} and {@code shards/*.jsonl}. Threads may share it.
 */
final class ShardFiles {
  private final Path folder;
  private final PointFormat format;
  private final List<Path> left;
  private final Map<Path, PointTail> tails = new LinkedHashMap<>();
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final Set<String> finished = new LinkedHashSet<>();

  /**
   * The files of a sweep.
   *
   * @param folder of the sweep
   * @param format of the sweep
   * @param left files that are not read, as this process holds their locks
   */
  ShardFiles(Path folder, PointFormat format, Path... left) {
    this.folder = folder;
    this.format = format;
    this.left = List.of(left);
  }

  /**
   * The files that workers have written, by name.
   *
   * @throws OutputException when the folder cannot be read
   */
  static List<Path> written(Path folder) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder.resolve(Shard.FOLDER), "*-of-*.jsonl")) {
      stream.forEach(files::add);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new OutputException(folder.resolve(Shard.FOLDER) + ": cannot be read: " + e.getMessage());
    }
    Collections.sort(files);
    return files;
  }

  /**
   * Removes the files of workers.
   *
   * @throws OutputException when they cannot be removed
   */
  static void remove(Path folder) {
    try {
      for (Path file : written(folder)) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new OutputException(folder.resolve(Shard.FOLDER) + ": cannot be emptied: " + e.getMessage());
    }
  }

  /**
   * Reads the points that have been settled since the last call.
   *
   * @throws OutputException when a file holds points of another sweep, or is damaged
   */
  synchronized void refresh() {
    List<Path> files = new ArrayList<>(written(folder));
    files.add(folder.resolve(PointStore.FILE));
    for (Path file : files) {
      if (!left.contains(file)) {
        tails.computeIfAbsent(file, any -> new PointTail(any, format)).read((line, settled) -> {
          if (settled.failure().isEmpty()) {
            finished.add(settled.key());
          } else {
            failures.put(settled.key(), settled.failure());
          }
        });
      }
    }
  }

  /** Whether a point has finished, or cannot be carried out. */
  synchronized boolean settled(String key) {
    return finished.contains(key) || failures.containsKey(key);
  }

  /** Those of some points of which a worker has found that they cannot be carried out, and which none has finished. */
  synchronized Failures failures(List<ScenarioFile.Point> points) {
    Failures found = new Failures();
    for (ScenarioFile.Point point : points) {
      String reason = failures.get(point.key());
      if (reason != null && !finished.contains(point.key())) {
        found.add(point, reason);
      }
    }
    return found;
  }
}
