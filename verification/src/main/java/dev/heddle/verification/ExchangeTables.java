package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.kernel.CsvRows;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.exchange.ExchangeKernel;
import dev.heddle.kernel.exchange.ExchangeLoad;
import dev.heddle.kernel.exchange.ExchangeSite;
import dev.heddle.kernel.exchange.ExchangeStep;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measured exchanges among experts in AIConfigurator's columns. */
final class ExchangeTables {
  private static final double MICROSECOND = 1e-6;
  private static final double MILLISECOND = 1e-3;
  private static final double HALF = 2;
  /** One scale of 32 bits for 128 elements of 8 bits [DeepEP, internode.cu]. */
  private static final double FP8 = 1 + 4.0 / 128;
  /** Sources of a message of low latency are told in front of it [DeepEP, internode_ll.cu]. */
  private static final int HEADER = 16;
  private static final List<String> NORMAL = List.of("system", "nodes", "hidden", "tokens", "topk", "experts",
      "dispatch_sms", "dispatch_us", "dispatch_notify_us", "combine_sms", "combine_us", "combine_notify_us");
  private static final List<String> LOW_LATENCY =
      List.of("system", "nodes", "hidden", "tokens", "topk", "experts", "dispatch_us", "combine_us");
  private static final List<String> NVLINK =
      List.of("system", "op", "kernel", "dtype", "tokens", "hidden", "topk", "experts", "ep", "ms");
  private static final Map<String, ExchangeKernel> KERNELS = ImmutableMap.of(
      "NVLinkOneSided", ExchangeKernel.NVLINK_ONE_SIDED, "NVLinkTwoSided", ExchangeKernel.NVLINK_TWO_SIDED);
  private static final Map<String, ExchangeStep> STEPS = ImmutableMap.of(
      "alltoall_prepare", ExchangeStep.PREPARE, "alltoall_dispatch", ExchangeStep.DISPATCH,
      "alltoall_combine", ExchangeStep.COMBINE,
      "alltoall_combine_low_precision", ExchangeStep.COMBINE_LOW_PRECISION);

  private final GpuCatalog gpus = GpuCatalog.bundled();
  private final Map<String, ExchangeMachine> machines;

  ExchangeTables(List<ExchangeMachine> machines) {
    this.machines = machines.stream().collect(
        ImmutableMap.toImmutableMap(ExchangeMachine::system, machine -> machine));
  }

  /**
   * Reads a table.
   *
   * @throws InvalidSettingException naming the malformed line
   */
  List<ExchangeRow> read(String file, String text) {
    CsvRows csv = CsvRows.parse(file, text);
    List<ExchangeRow> rows = new ArrayList<>();
    if (csv.columns().containsKey("ep")) {
      csv.require(NVLINK).rows().forEach(row -> rows.add(nvlink(row)));
    } else if (csv.columns().containsKey("dispatch_sms")) {
      for (CsvRows.Row row : csv.require(NORMAL).rows()) {
        rows.add(normal(row, ExchangeStep.DISPATCH, FP8));
        rows.add(normal(row, ExchangeStep.COMBINE, HALF));
      }
    } else {
      for (CsvRows.Row row : csv.require(LOW_LATENCY).rows()) {
        rows.add(lowLatency(row, ExchangeStep.DISPATCH, FP8));
        rows.add(lowLatency(row, ExchangeStep.COMBINE, HALF));
      }
    }
    CsvTable.require(!rows.isEmpty(), file, "no rows");
    return rows;
  }

  private ExchangeRow normal(CsvRows.Row row, ExchangeStep step, double width) {
    ExchangeMachine machine = machine(row);
    int nodes = whole(row, "nodes");
    int units = whole(row, step.id() + "_sms");
    int experts = whole(row, "experts");
    int choices = choices(row, experts);
    ExchangeSite site = site(machine, nodes, machine.ranks(), units);
    // A token that leaves its node carries its source, its choices and their weights [DeepEP, internode.cu].
    double told = nodes > 1 ? 8 + 8.0 * choices : 0;
    ExchangeLoad load = new ExchangeLoad(row.size("tokens", 1), width * row.size("hidden", 1) + told,
        ExchangeLoad.partsHit(site.ranks(), experts, choices), ExchangeLoad.partsHit(nodes, experts, choices), experts);
    double micros = row.positive(step.id() + "_us") + row.number(step.id() + "_notify_us");
    return new ExchangeRow(machine.system(), ExchangeKernel.DEEPEP_NORMAL, step, load, site,
        label(row, units + " SMs"), MICROSECOND * micros);
  }

  private ExchangeRow lowLatency(CsvRows.Row row, ExchangeStep step, double width) {
    ExchangeMachine machine = machine(row);
    int experts = whole(row, "experts");
    ExchangeLoad load = new ExchangeLoad(row.size("tokens", 1), width * row.size("hidden", 1) + HEADER,
        choices(row, experts), 1, experts);
    return new ExchangeRow(machine.system(), ExchangeKernel.DEEPEP_LOW_LATENCY, step, load,
        site(machine, whole(row, "nodes"), machine.ranks(), 0), label(row, "low latency"),
        MICROSECOND * row.positive(step.id() + "_us"));
  }

  private ExchangeRow nvlink(CsvRows.Row row) {
    ExchangeMachine machine = machine(row);
    ExchangeKernel kernel = KERNELS.get(row.cell("kernel"));
    ExchangeStep step = STEPS.get(row.cell("op"));
    if (kernel == null || step == null) {
      throw row.failure(kernel == null ? "kernel" : "op", "one of " + (kernel == null ? KERNELS : STEPS).keySet());
    }
    int ranks = whole(row, "ep");
    int experts = whole(row, "experts");
    NumberFormat format = NumberFormat.of(row.cell("dtype"));
    double width = step == ExchangeStep.COMBINE ? HALF
        : format == NumberFormat.FP8 ? FP8 : format.activationBytes();
    // The router of these tables is even: a token has one expert on each rank until it has one on all.
    ExchangeLoad load = new ExchangeLoad(row.size("tokens", 1), width * row.size("hidden", 1),
        Math.min(choices(row, experts), ranks), 1, experts);
    return new ExchangeRow(machine.system(), kernel, step, load, site(machine, 1, ranks, 0),
        label(row, row.cell("dtype") + ", " + ranks + " ranks"), MILLISECOND * row.positive("ms"));
  }

  private ExchangeMachine machine(CsvRows.Row row) {
    ExchangeMachine machine = machines.get(row.cell("system"));
    if (machine == null) {
      throw row.failure("system", "one of " + String.join(", ", machines.keySet()));
    }
    return machine;
  }

  private ExchangeSite site(ExchangeMachine machine, int nodes, int ranks, int units) {
    return new ExchangeSite(
        nodes, ranks, gpus.get(machine.gpu()).units(), units, machine.scaleUp(), machine.network());
  }

  private static int choices(CsvRows.Row row, int experts) {
    int choices = whole(row, "topk");
    if (choices > experts) {
      throw row.failure("topk", "at most the number of experts, " + experts);
    }
    return choices;
  }

  private static int whole(CsvRows.Row row, String column) {
    long value = row.size(column, 1);
    if (value > 1 << 20) {
      throw row.failure(column, "at most " + (1 << 20));
    }
    return (int) value;
  }

  private static String label(CsvRows.Row row, String more) {
    return row.cell("tokens") + " x " + row.cell("hidden") + ", " + row.cell("topk") + " of " + row.cell("experts")
        + ", " + more;
  }
}
