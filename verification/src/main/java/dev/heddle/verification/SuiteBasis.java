package dev.heddle.verification;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Basis;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The basis of a suite, from the file {@code basis.txt} beside its tables: a line {@code measured: ...} for each part,
 * and a line {@code miss TABLE: REASON} for each table that is known to miss its bound. {@code {TABLE}} stands for the
 * mean error of a table, {@code {TABLE > N}} for that of its rows above N bytes, so that sentences always state the
 * errors of the report.
 */
final class SuiteBasis {
  private static final Pattern ERROR = Pattern.compile("\\{([^}]+)}");
  private static final Pattern ABOVE = Pattern.compile("(.+) > (\\d+)");
  private static final String MISS = "miss ";
  private static final String SEPARATOR = ": ";

  private SuiteBasis() {}

  /** Reads the basis of a suite's own tables. */
  static Basis of(DataFolder folder, ValidationReport report) {
    return of(folder, "basis.txt", report);
  }

  /**
   * Reads a basis.
   *
   * @throws IllegalStateException when a part is missing, or a table that a line names
   */
  static Basis of(DataFolder folder, String file, ValidationReport report) {
    Map<String, String> parts = new LinkedHashMap<>();
    Map<String, String> misses = new LinkedHashMap<>();
    for (String line : folder.text(file).lines().filter(each -> !each.isBlank()).toList()) {
      boolean miss = line.startsWith(MISS);
      int colon = miss ? line.lastIndexOf(SEPARATOR) : line.indexOf(SEPARATOR);
      String key = line.substring(miss ? MISS.length() : 0, colon);
      String text = errors(line.substring(colon + SEPARATOR.length()), report);
      if (miss) {
        table(key, report);
        misses.put(key, text);
      } else {
        parts.put(key, text);
      }
    }
    return new Basis(part(parts, "measured"), part(parts, "fitted"), part(parts, "left out"),
        part(parts, "not fitted"), misses);
  }

  private static String part(Map<String, String> parts, String key) {
    String text = parts.get(key);
    if (text == null) {
      throw new IllegalStateException("a basis lacks the line '" + key + ": ...'");
    }
    return text;
  }

  private static String errors(String text, ValidationReport report) {
    Matcher matcher = ERROR.matcher(text);
    return matcher.replaceAll(found -> String.format(Locale.ROOT, "%.1f %%", error(found.group(1), report)));
  }

  private static double error(String name, ValidationReport report) {
    Matcher part = ABOVE.matcher(name);
    if (!part.matches()) {
      return table(name, report).meanAbsErrorPct();
    }
    long above = Long.parseLong(part.group(2));
    Table table = table(part.group(1), report);
    List<Row> rows = table.rows().stream().filter(row -> row.sizeBytes().orElse(0) > above).toList();
    return new Table(table.name(), table.source(), table.unit(), rows, Double.NaN).meanAbsErrorPct();
  }

  private static Table table(String name, ValidationReport report) {
    return report.tables().stream().filter(table -> table.name().equals(name)).findFirst()
        .orElseThrow(() -> new IllegalStateException("a basis names the table '" + name + "', which is none"));
  }
}
