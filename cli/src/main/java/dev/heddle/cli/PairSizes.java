package dev.heddle.cli;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import dev.heddle.collective.Collective;
import dev.heddle.text.LineReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads what each rank has for each other in an all_to_all_v. */
final class PairSizes {
  private static final Splitter FIELDS = Splitter.on(CharMatcher.anyOf(", \t\r")).omitEmptyStrings();

  private PairSizes() {}

  /**
   * Reads a file of a line per sending rank; lines that are empty or begin with # are passed over.
   *
   * @throws UsageException when it cannot be read, a field is no number of bytes, it is no square, or there are more ranks
   */
  static Collective read(Path file, int mostRanks) {
    List<long[]> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      LineReader lines = new LineReader(file.toString(), in, UsageException::new);
      while (lines.next()) {
        if (!lines.text().isBlank() && !lines.text().startsWith("#")) {
          rows.add(FIELDS.splitToStream(lines.text()).mapToLong(field ->
              lines.number("the bytes of a pair", field, 0, Long.MAX_VALUE)).toArray());
        }
      }
    } catch (IOException e) {
      throw new UsageException("--pairs: " + file + " cannot be read: " + e.getMessage());
    }
    if (rows.size() > mostRanks) {
      throw new UsageException("--pairs: " + file + " has " + rows.size() + " ranks; at most " + mostRanks
          + " are possible");
    }
    try {
      return Collective.allToAllV(rows.toArray(new long[0][]));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException("--pairs: " + file + ": " + e.getMessage());
    }
  }
}
