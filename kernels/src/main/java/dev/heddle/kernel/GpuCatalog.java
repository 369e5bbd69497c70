package dev.heddle.kernel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The data sheets of accelerators.
 *
 * @param gpus in order
 */
public record GpuCatalog(List<GpuSpec> gpus) {
  private static final double TERA = 1e12;
  /** Of a multiprocessor in a clock [CUDA C++ Programming Guide, arithmetic instructions, 8.0 to 10.0]. */
  private static final double EXPONENTIALS = 16;
  private static final List<String> COLUMNS = List.of("id", "name", "vendor", "architecture", "units", "clock",
      "bandwidth", "cache", "watts", "bits16", "share16");

  /** Copies the list. */
  public GpuCatalog {
    gpus = ImmutableList.copyOf(gpus);
  }

  /** The accelerators that are shipped. */
  public static GpuCatalog bundled() {
    return parse("gpus.csv", Resources.text("gpus.csv"));
  }

  /**
   * Reads data sheets: GB/s, MB, MHz, W and Tflop/s.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  public static GpuCatalog parse(String name, String text) {
    CsvRows csv = CsvRows.parse(name, text).require(COLUMNS);
    List<GpuSpec> gpus = new ArrayList<>();
    for (CsvRows.Row row : csv.rows()) {
      gpus.add(new GpuSpec(row.cell("id"), row.cell("name"),
          row.cell("aliases").isEmpty() ? List.of() : List.of(row.cell("aliases").split(";")),
          row.cell("vendor"), row.cell("architecture"), (int) row.size("units", 1), row.positive("clock"),
          topClock(row), exponentials(row),
          1e9 * row.positive("bandwidth"), ecc(row), 1e6 * row.positive("cache"), row.positive("watts"),
          TERA * row.number("fp32"), TERA * row.number("tf32"), TERA * row.positive("bits16"),
          TERA * row.number("bits8"), TERA * row.number("bits4"), row.positive("share16"), row.number("share8"),
          row.cell("source")));
    }
    return new GpuCatalog(gpus);
  }

  private static double topClock(CsvRows.Row row) {
    double stated = row.number("top-clock");
    if (stated > 0 && stated < row.positive("clock")) {
      throw row.failure("top-clock", "at least the clock, " + row.cell("clock") + ", or empty");
    }
    return stated;
  }

  private static double ecc(CsvRows.Row row) {
    double stated = row.number("ecc");
    if (stated >= 1) {
      throw row.failure("ecc", "the part of the memory's rate that codes of correction take, below 1, or empty");
    }
    return stated;
  }

  private static double exponentials(CsvRows.Row row) {
    double stated = row.number("exponentials");
    if (stated > 0 && stated < 1) {
      throw row.failure("exponentials", "at least 1, those of a multiprocessor in a clock, or empty");
    }
    return stated > 0 ? stated : EXPONENTIALS;
  }

  /** The same with others before them. */
  public GpuCatalog with(GpuCatalog others) {
    return new GpuCatalog(ImmutableList.<GpuSpec>builder().addAll(others.gpus).addAll(gpus).build());
  }

  /** The accelerator of an id, name or alias. */
  public Optional<GpuSpec> find(String text) {
    for (GpuSpec gpu : gpus) {
      if (gpu.isCalled(text)) {
        return Optional.of(gpu);
      }
    }
    return Optional.empty();
  }

  /**
   * The accelerator of an id, name or alias.
   *
   * @throws InvalidSettingException when there is none, naming the nearest
   */
  public GpuSpec get(String text) {
    return find(text).orElseThrow(() -> {
      List<String> known = gpus.stream().map(GpuSpec::id).toList();
      return new InvalidSettingException("", "there is no GPU '" + CsvRows.shown(text) + "'; known are "
          + String.join(", ", known) + NearestMatch.hint(text, known));
    });
  }
}
