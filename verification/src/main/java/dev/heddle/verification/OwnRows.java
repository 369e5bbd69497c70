package dev.heddle.verification;

import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.ConstantSet;
import dev.heddle.collectives.nccl.calibration.MachineFit;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Calibration of a machine that was left out of every fit by 30 rows of its own, and its other tables with the fitted
 * constants. The rows are of up to three tables, at sizes evenly spread: first those between nodes with most ranks,
 * then those within a node, each of another operation where there is one; they are not compared.
 */
final class OwnRows {
  private static final int ROWS = 30;
  private static final int MOST_TABLES = 3;

  private OwnRows() {}

  /**
   * A table that was not used, with the timing of its machine before and after.
   *
   * @param table not used for the fit
   * @param before timing with constants of other machines
   * @param after timing with the machine's own constants
   */
  record Compared(MeasuredTable table, MachineTiming before, MachineTiming after) {}

  /** All tables that were not used, of machines with two or more. */
  static List<Compared> of(List<MeasuredTable> tables, Map<String, ConstantSet> leftOut) {
    List<Compared> compared = new ArrayList<>();
    tables.stream().collect(Collectors.groupingBy(MeasuredTable::machine, TreeMap::new, Collectors.toList()))
        .forEach((machine, own) -> {
          if (own.size() > 1 && leftOut.containsKey(machine)) {
            compared.addAll(calibrated(own, leftOut.get(machine)));
          }
        });
    return List.copyOf(compared);
  }

  private static List<Compared> calibrated(List<MeasuredTable> own, ConstantSet leftOut) {
    List<MeasuredTable> used = chosen(own);
    List<MeasuredTable> sample = used.stream().map(table -> spread(table, ROWS / used.size())).toList();
    MeasuredTable widest =
        used.stream().filter(table -> !table.network().isEmpty()).findFirst().orElse(used.get(0));
    MachineFit fit = MachineFit.of(sample, leftOut.timing(widest));
    return own.stream().filter(table -> !used.contains(table)).map(table -> {
      MachineTiming before = leftOut.timing(table);
      MachineTiming after = fit.timing().network().isPresent() ? fit.timing()
          : new MachineTiming(fit.timing().gpu(), fit.timing().host(), before.network());
      return new Compared(table, before, after);
    }).toList();
  }

  private static List<MeasuredTable> chosen(List<MeasuredTable> own) {
    List<MeasuredTable> left = new ArrayList<>(own);
    left.sort(Comparator.comparing((MeasuredTable table) -> !table.network().isEmpty())
        .thenComparing(table -> table.model().layout().ranks()).thenComparing(table -> table.rows().size())
        .reversed());
    List<MeasuredTable> used = new ArrayList<>();
    while (used.size() < Math.min(MOST_TABLES, own.size() - 1)) {
      MeasuredTable next = left.stream().max(Comparator.comparingInt((MeasuredTable table) -> news(used, table))
          .thenComparing(table -> -left.indexOf(table))).orElseThrow();
      used.add(next);
      left.remove(next);
    }
    return used;
  }

  // The news of a table: large calls before all, then a network or node not yet seen, then an operation not yet seen.
  private static int news(List<MeasuredTable> used, MeasuredTable table) {
    boolean large = table.rows().stream().anyMatch(row -> row.bytes() >= Calibration.LARGE);
    boolean place = used.stream().noneMatch(each -> each.network().isEmpty() == table.network().isEmpty());
    boolean operation = used.stream().noneMatch(each -> each.op() == table.op());
    return (large ? 4 : 0) + (place ? 3 : 0) + (operation ? 2 : 0);
  }

  private static MeasuredTable spread(MeasuredTable table, int rows) {
    int all = table.rows().size();
    if (all <= rows) {
      return table;
    }
    return new MeasuredTable(table.name(), table.machine(), table.generation(), table.network(), table.model(),
        table.op(), table.inPlace(), IntStream.range(0, rows)
            .mapToObj(i -> table.rows().get((int) Math.round(i * (all - 1.0) / (rows - 1)))).toList());
  }
}
