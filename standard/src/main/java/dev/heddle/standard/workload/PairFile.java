package dev.heddle.standard.workload;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import dev.heddle.collective.Collective;
import dev.heddle.text.LineReader;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A file of the bytes that each rank sends to each other in an all_to_all_v: a line per sending rank, with the bytes
 * for each receiving one, separated by commas or blanks. Lines that are empty or begin with # are ignored.
 */
public final class PairFile {
  private static final Splitter FIELDS = Splitter.on(CharMatcher.anyOf(", \t\r")).omitEmptyStrings();

  private static final int MOST_RANKS = 4096;

  private PairFile() {}

  /**
   * Reads a file.
   *
   * @param file to read
   * @param exception makes an exception of a message that names the file: it cannot be read, a field is no number of
   * bytes, it is no square, or has more than 4,096 ranks
   */
  public static Collective read(Path file, Function<String, ? extends RuntimeException> exception) {
    List<long[]> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      LineReader lines = new LineReader(file.toString(), in, exception);
      while (lines.next()) {
        if (!lines.text().isBlank() && !lines.text().startsWith("#")) {
          rows.add(FIELDS.splitToStream(lines.text())
              .mapToLong(field -> lines.number("the bytes of a pair", field, 0, Long.MAX_VALUE)).toArray());
        }
      }
    } catch (IOException e) {
      throw exception.apply(Unreadable.message(file, e));
    } catch (UncheckedIOException e) {
      throw exception.apply(Unreadable.message(file, e));
    }
    if (rows.size() > MOST_RANKS) {
      throw exception.apply(file + " has " + rows.size() + " ranks; at most " + MOST_RANKS + " are possible");
    }
    try {
      return Collective.allToAllV(rows.toArray(new long[0][]));
    } catch (IllegalArgumentException e) {
      throw exception.apply(file + ": " + e.getMessage());
    }
  }
}
