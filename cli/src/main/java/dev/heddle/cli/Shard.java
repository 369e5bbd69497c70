package dev.heddle.cli;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of the equal parts of a sweep's points, run by one worker: point {@code p}, counted from 0, belongs to shard
 * {@code 1 + p mod count}, so that neighbours, which take similar times, are spread over all workers.
 *
 * @param index from 1 to {@code count}
 * @param count of the shards
 */
record Shard(int index, int count) {
  /** The folder, within the folder of a sweep, of the files that workers write. */
  static final String FOLDER = "shards";

  private static final int MOST = 100_000;
  private static final Pattern TEXT = Pattern.compile("(\\d{1,6})/(\\d{1,6})");

  /**
   * Reads a shard as {@code --shard} writes it, such as {@code 2/8}.
   *
   * @throws UsageException when it is none
   */
  static Shard parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      int index = Integer.parseInt(matcher.group(1));
      int count = Integer.parseInt(matcher.group(2));
      if (index >= 1 && index <= count && count <= MOST) {
        return new Shard(index, count);
      }
    }
    throw new UsageException("--shard " + text + ": write I/N, with I from 1 to N and N at most " + MOST
        + ", such as 2/8 for the second of eight workers");
  }

  /** Whether a point belongs to the shard. */
  boolean has(int point) {
    return point % count == index - 1;
  }

  /** The file that the shard's worker writes. */
  Path file(Path folder) {
    return folder.resolve(FOLDER).resolve(index + "-of-" + count + ".jsonl");
  }

  @Override
  public String toString() {
    return index + "/" + count;
  }
}
