package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of reference figures with the model's, table by table.
 *
 * @param suite id of the suite
 * @param tables one per source and quantity
 * @param notes effects that the model does not explain, and choices that the sources leave open, one paragraph each
 * @param plots curves of the model without a reference
 * @param maps use of links, drawn in place
 * @param basis measurement and fit that the comparison rests on; empty for tables of a user
 */
public record ValidationReport(
    String suite, List<Table> tables, List<String> notes, List<Plot> plots, List<LinkMap> maps,
    Optional<Basis> basis) {
  /** Copies the lists. */
  public ValidationReport {
    tables = ImmutableList.copyOf(tables);
    notes = ImmutableList.copyOf(notes);
    plots = ImmutableList.copyOf(plots);
    maps = ImmutableList.copyOf(maps);
  }

  /** Tables and notes alone. */
  public ValidationReport(String suite, List<Table> tables, List<String> notes) {
    this(suite, tables, notes, List.of(), List.of(), Optional.empty());
  }

  /** The same with a basis. */
  public ValidationReport with(Basis newBasis) {
    return new ValidationReport(suite, tables, notes, plots, maps, Optional.of(newBasis));
  }

  /** The names of the tables that miss a claimed bound though the basis does not name them as known to. */
  public List<String> unknownMisses() {
    return tables.stream().filter(table -> !table.holds()).map(Table::name)
        .filter(name -> basis.map(known -> !known.misses().containsKey(name)).orElse(true)).toList();
  }

  /**
   * The measurement and the fit that a comparison rests on, a sentence or two each.
   *
   * @param measured origin of the references
   * @param fitted constants that were set by references, and by which
   * @param leftOut references that are not compared, with the reason
   * @param unfitted error on references by which nothing was set
   * @param misses tables that are known to miss their bound, each with the reason
   */
  public record Basis(
      String measured, String fitted, String leftOut, String unfitted, Map<String, String> misses) {
    /** Copies the map. */
    public Basis {
      misses = ImmutableMap.copyOf(misses);
    }
  }

  /**
   * Curves over sizes.
   *
   * @param title of the plot
   * @param xTitle of the abscissa, which is logarithmic, with its unit
   * @param yTitle of the ordinate, with its unit
   * @param logY whether the ordinate is logarithmic
   * @param curves in it
   */
  public record Plot(String title, String xTitle, String yTitle, boolean logY, List<Curve> curves) {
    /** Copies the list. */
    public Plot {
      curves = ImmutableList.copyOf(curves);
    }

    /**
     * One curve.
     *
     * @param name as in the legend
     * @param x abscissae, ascending
     * @param y ordinates
     */
    public record Curve(String name, List<Double> x, List<Double> y) {
      /** Copies the lists. */
      public Curve {
        x = ImmutableList.copyOf(x);
        y = ImmutableList.copyOf(y);
      }
    }
  }

  /**
   * The use of links between chips.
   *
   * @param title of the drawing
   * @param links to draw
   */
  public record LinkMap(String title, List<Results.LinkUsage> links) {
    /** Copies the list. */
    public LinkMap {
      links = ImmutableList.copyOf(links);
    }
  }

  /**
   * One table.
   *
   * @param name of the table
   * @param source of the reference
   * @param unit of reference and model
   * @param rows as in the source
   * @param boundPct the largest allowed mean absolute error in percent; NaN where none is claimed
   */
  public record Table(String name, String source, String unit, List<Row> rows, double boundPct) {
    /** Copies the list. */
    public Table {
      rows = ImmutableList.copyOf(rows);
    }

    /** The mean absolute error in percent; NaN without rows. */
    public double meanAbsErrorPct() {
      return rows.stream().mapToDouble(row -> Math.abs(row.errorPct())).average().orElse(Double.NaN);
    }

    /** The largest absolute error in percent; NaN without rows. */
    public double maxAbsErrorPct() {
      return rows.stream().mapToDouble(row -> Math.abs(row.errorPct())).max().orElse(Double.NaN);
    }

    /** Whether a bound is claimed. */
    public boolean claims() {
      return !Double.isNaN(boundPct);
    }

    /** Whether the claimed bound holds; true where none is claimed. A table without rows breaks its bound. */
    public boolean holds() {
      return !claims() || meanAbsErrorPct() <= boundPct;
    }
  }

  /**
   * One row.
   *
   * @param label as in the source, such as {@code 4 KiB}
   * @param sizeBytes message size, where the row has one
   * @param reference measured or published figure
   * @param model the simulator's figure
   */
  public record Row(String label, OptionalLong sizeBytes, double reference, double model) {
    /** The model's error in percent of the reference. */
    public double errorPct() {
      return 100 * (model - reference) / reference;
    }
  }

  /** The mean of the tables' mean absolute errors in percent, of those that claim a bound; NaN where none does. */
  public double meanAbsErrorPct() {
    return tables.stream().filter(Table::claims).mapToDouble(Table::meanAbsErrorPct).average().orElse(Double.NaN);
  }

  /** Whether every claimed bound holds. */
  public boolean holds() {
    return tables.stream().allMatch(Table::holds);
  }
}
