package dev.heddle.kernel.convert;

import dev.heddle.kernel.CsvRows;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.TableId;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * AIConfigurator's tables as CSV: {@code system,engine,...,ms}. The columns tell which table it is. A product of
 * {@code bfloat16} is a bare one; of all formats whose activations are cast it is a linear layer, with the cast.
 */
final class AicTable {
  private static final double MILLISECOND = 1e-3;
  private static final int HEAD = 128;
  private static final List<String> FORMATS = List.of("dtype", "attn_dtype", "mla_dtype", "bmm_dtype");

  private final CsvRows csv;
  private final GpuCatalog gpus;
  private final Map<String, Integer> unknown = new LinkedHashMap<>();

  AicTable(CsvRows csv, GpuCatalog gpus) {
    this.csv = csv.require(List.of("system", "engine", "ms"));
    this.gpus = gpus;
  }

  /** A kind of table, told by columns that only it has. */
  private enum Kind {
    EXPERTS("inter", "topk", "distribution"), GEMM("m", "n", "k"), PREFILL("isl", "kv_heads"),
    DECODE("context", "kv_heads"), LATENT("mla_dtype", "step"), PROJECTION("bmm_dtype", "num_tokens"),
    DELTA("num_v_heads", "phase"), MAMBA("d_state", "phase");

    private final List<String> columns;

    Kind(String... columns) {
      this.columns = List.of(columns);
    }
  }

  /** Rows left out for a GPU or a number format that is not known: their number by its name. */
  Map<String, Integer> unknown() {
    return unknown;
  }

  /**
   * The kernels.
   *
   * @param known whether rows of GPUs and number formats that are not known are left out
   */
  List<MeasuredRow> rows(boolean known) {
    for (Kind kind : Kind.values()) {
      if (kind.columns.stream().allMatch(csv.columns()::containsKey)) {
        List<MeasuredRow> rows = new ArrayList<>();
        for (CsvRows.Row row : csv.rows()) {
          Optional<String> other = known ? foreign(row) : Optional.empty();
          other.ifPresent(name -> unknown.merge(name, 1, Integer::sum));
          if (other.isEmpty()) {
            rows.add(row(kind, row));
          }
        }
        return rows;
      }
    }
    throw new InvalidSettingException("", csv.name() + ": its columns " + String.join(",", csv.columns().keySet())
        + " are those of no table of kernels that is known");
  }

  private Optional<String> foreign(CsvRows.Row row) {
    String system = row.cell("system");
    return gpus.find(system).isEmpty() ? Optional.of("the GPU '" + CsvRows.shown(system) + "', which is not known")
        : FORMATS.stream().filter(csv.columns()::containsKey).map(row::cell)
            .filter(format -> NumberFormat.find(format).isEmpty())
            .map(format -> "the number format '" + CsvRows.shown(format) + "', which is not known").findFirst();
  }

  private MeasuredRow row(Kind kind, CsvRows.Row row) {
    return switch (kind) {
      case GEMM -> {
        NumberFormat format = NumberFormat.of(row.cell("dtype"));
        KernelKind product = format == NumberFormat.BF16 || format == NumberFormat.FP16
            ? KernelKind.GEMM : KernelKind.LINEAR;
        yield made(row, product, format, engine(row), sizes(row, "m", "n", "k"));
      }
      case PREFILL -> {
        long[] s = sizes(row, "batch", "heads", "kv_heads", "isl");
        yield made(row, KernelKind.ATTENTION_FORWARD, attention(row.cell("attn_dtype"), row.cell("kv_dtype")),
            engine(row), s[0], s[1], s[2], s[3], s[3], HEAD, HEAD);
      }
      case DECODE -> {
        long[] s = sizes(row, "batch", "heads", "kv_heads", "context");
        yield made(row, KernelKind.ATTENTION_DECODE, attention(row.cell("attn_dtype"), row.cell("kv_dtype")),
            engine(row), s[0], s[1], s[2], s[3], HEAD, HEAD);
      }
      case LATENT -> latent(row);
      case PROJECTION -> made(row, KernelKind.LATENT_PROJECTION, NumberFormat.of(row.cell("bmm_dtype")),
          engine(row) + "-" + plain(row.cell("kernel_source")), sizes(row, "num_tokens", "num_heads"));
      case EXPERTS -> experts(row);
      case DELTA -> made(row, KernelKind.GATED_DELTA_NET, NumberFormat.BF16, stateSpace(row),
          sizes(row, "batch_size", "seq_len", "d_model", "num_v_heads"));
      case MAMBA -> made(row, KernelKind.MAMBA2, NumberFormat.BF16, stateSpace(row),
          sizes(row, "batch_size", "seq_len", "d_model", "nheads", "d_state"));
    };
  }

  private MeasuredRow latent(CsvRows.Row row) {
    long step = row.size("step", 0);
    NumberFormat format = attention(row.cell("mla_dtype"), row.cell("kv_cache_dtype"));
    long[] s = sizes(row, "batch_size", "num_heads", "isl");
    return step == 0 ? made(row, KernelKind.LATENT_PREFILL, format, engine(row), s[0], s[1], s[2])
        : made(row, KernelKind.LATENT_DECODE, format, engine(row), s[0], s[1], s[2] + step);
  }

  private MeasuredRow experts(CsvRows.Row row) {
    String load = row.cell("distribution");
    long skew = 0;
    if (load.startsWith("power_law_")) {
      try {
        skew = Math.round(100 * Double.parseDouble(load.substring("power_law_".length())));
      } catch (NumberFormatException e) {
        throw row.failure("distribution", "balanced or power_law_ and an exponent");
      }
    } else if (!load.equals("balanced")) {
      throw row.failure("distribution", "balanced or power_law_ and an exponent");
    }
    long[] s = sizes(row, "tokens", "hidden", "inter", "topk", "experts", "tp", "ep");
    return made(row, KernelKind.EXPERTS, NumberFormat.of(row.cell("dtype")),
        engine(row) + "-" + plain(row.cell("kernel")), s[0], s[1], s[2], s[3], s[4], s[5], s[6], skew);
  }

  private static String stateSpace(CsvRows.Row row) {
    return engine(row) + "-" + plain(row.cell("kernel_source"));
  }

  private static NumberFormat attention(String arithmetic, String cache) {
    NumberFormat format = NumberFormat.of(arithmetic);
    return format == NumberFormat.BF16 && cache.equals("fp8") ? NumberFormat.BF16_CACHE8 : format;
  }

  private MeasuredRow made(CsvRows.Row row, KernelKind kind, NumberFormat format, String variant, long... shape) {
    TableId id = new TableId(gpus.get(row.cell("system")).id(), kind, format, variant);
    return new MeasuredRow(id, shape, MILLISECOND * row.positive("ms"), row.cell("engine"), row.place());
  }

  private static String engine(CsvRows.Row row) {
    return plain(row.cell("engine"));
  }

  private static String plain(String text) {
    return text.toLowerCase(java.util.Locale.ROOT).replace("moe_torch_flow_", "").replaceAll("[^a-z0-9.]+", "-");
  }

  private static long[] sizes(CsvRows.Row row, String... columns) {
    long[] sizes = new long[columns.length];
    for (int i = 0; i < columns.length; i++) {
      sizes[i] = row.size(columns[i], 1);
    }
    return sizes;
  }
}
