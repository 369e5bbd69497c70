package dev.heddle.kernel.exchange;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.heddle.kernel.CsvRows;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The models of all kernels of exchanges.
 *
 * @param entries one of each kernel and step
 */
public record ExchangeModels(List<Entry> entries) {
  private static final List<String> COLUMNS = List.of("kernel", "step", "cost", "value", "basis");

  /** Copies the list. */
  public ExchangeModels {
    entries = ImmutableList.copyOf(entries);
  }

  /**
   * A model.
   *
   * @param model with its constants
   * @param fitted the constants that measurements of the same kernel set; the others were published
   */
  public record Entry(ExchangeModel model, Set<ExchangeCost> fitted) {
    /** Copies the set. */
    public Entry {
      fitted = ImmutableSet.copyOf(fitted);
    }
  }

  /** The models that are shipped. */
  public static ExchangeModels bundled() {
    try (InputStream in = ExchangeModels.class.getResourceAsStream("costs.csv")) {
      if (in == null) {
        throw new IllegalStateException("the jar of kernels lacks exchange/costs.csv");
      }
      return parse("costs.csv", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads constants.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  public static ExchangeModels parse(String name, String text) {
    CsvRows csv = CsvRows.parse(name, text).require(COLUMNS);
    List<Entry> entries = new ArrayList<>();
    for (ExchangeKernel kernel : ExchangeKernel.values()) {
      for (ExchangeStep step : ExchangeStep.values()) {
        Map<ExchangeCost, Double> costs = new EnumMap<>(ExchangeCost.class);
        Set<ExchangeCost> fitted = EnumSet.noneOf(ExchangeCost.class);
        for (CsvRows.Row row : csv.rows()) {
          if (row.cell("kernel").equals(kernel.id()) && row.cell("step").equals(step.id())) {
            ExchangeCost cost = cost(row);
            costs.put(cost, row.positive("value"));
            if (row.cell("basis").equals("fitted")) {
              fitted.add(cost);
            }
          }
        }
        if (!costs.isEmpty()) {
          entries.add(new Entry(new ExchangeModel(kernel, step, costs), fitted));
        }
      }
    }
    return new ExchangeModels(entries);
  }

  private static ExchangeCost cost(CsvRows.Row row) {
    try {
      return ExchangeCost.valueOf(row.cell("cost").toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw row.failure("cost", "one of " + List.of(ExchangeCost.values()).stream().map(ExchangeCost::id).toList());
    }
  }

  /**
   * The model of a kernel and step.
   *
   * @throws InvalidSettingException when there is none
   */
  public Entry get(ExchangeKernel kernel, ExchangeStep step) {
    return entries.stream().filter(entry -> entry.model().kernel() == kernel && entry.model().step() == step)
        .findFirst()
        .orElseThrow(() -> new InvalidSettingException("", kernel.id() + " has no step " + step.id()));
  }
}
