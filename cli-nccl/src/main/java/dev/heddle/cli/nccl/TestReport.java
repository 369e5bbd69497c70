package dev.heddle.cli.nccl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Output of a test: a line about the model, then the table of nccl-tests 2.17, byte for byte; or the same as JSON. */
final class TestReport {
  private static final int WIDE_TIME = 7;
  private static final int WIDE_RATE = 6;
  private static final int SIX = 6;

  private final Head head;
  private final List<Device> devices;
  private final List<Line> lines = new ArrayList<>();

  TestReport(Head head, List<Device> devices) {
    this.head = head;
    this.devices = List.copyOf(devices);
  }

  /**
   * The head of the output.
   *
   * @param program the test
   * @param versionCode of NCCL, such as 22902
   * @param range of sizes
   * @param repeated numbers of options: threads, gpus, warm-ups, iterations, aggregated, check, graph
   * @param model of the times
   */
  record Head(String program, int versionCode, TestOptions.Range range, int[] repeated, String model) {}

  /** A rank's GPU. */
  record Device(int rank, int process, String host, int number, String busId, String name) {}

  /**
   * A row.
   *
   * @param size bytes
   * @param count elements of a rank
   * @param labels type, operation, root
   * @param out out of place
   * @param in in place
   */
  record Line(long size, long count, List<String> labels, Result out, Result in) {}

  /**
   * A time with the rates that follow from it.
   *
   * @param micros microseconds
   * @param algbw gigabytes per second
   * @param busbw gigabytes per second
   * @param checked whether wrong elements are counted; there are none
   */
  record Result(double micros, double algbw, double busbw, boolean checked) {}

  void add(Line line) {
    lines.add(line);
  }

  double averageBusBandwidth() {
    return lines.stream().mapToDouble(line -> line.out().busbw() + line.in().busbw()).sum()
        / Math.max(1, 2 * lines.size());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    int[] n = head.repeated();
    TestOptions.Range range = head.range();
    format(text, "# Times of Heddle: %s\n", head.model());
    format(text, "# nccl-tests version 2.17.0 nccl-headers=%d nccl-library=%d\n", head.versionCode(),
        head.versionCode());
    format(text, "# Collective test starting: %s\n", head.program());
    format(text, "# nThread %d nGpus %d minBytes %d maxBytes %d step: %d(%s) warmup iters: %d iters: %d agg iters: %d"
        + " validation: %d graph: %d\n", n[0], n[1], range.least(), range.most(),
        range.factor() > 1 ? range.factor() : range.step(), range.factor() > 1 ? "factor" : "bytes", n[2], n[3],
        n[4], n[5], n[6]);
    text.append("#\n# Using devices\n");
    for (Device each : devices) {
      format(text, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n", each.rank(), 0, each.process(),
          each.host(), each.number(), each.busId(), each.name());
    }
    table(text);
    format(text, "# %-20s : %d %s\n", "Out of bounds values", 0, "OK");
    format(text, "# %-20s : %s \n", "Avg bus bandwidth", general(averageBusBandwidth()));
    format(text, "#\n# Collective test concluded: %s\n#\n", head.program());
    return text.toString();
  }

  private void table(StringBuilder text) {
    format(text, "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place          \n", "",
        "", "", "", "");
    String columns = "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s \n";
    format(text, columns, "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong", "time",
        "algbw", "busbw", "#wrong");
    format(text, columns, "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)",
        "(GB/s)", "");
    for (Line line : lines) {
      format(text, "%12d  %12d  %8s  %6s  %6s", line.size(), line.count(), line.labels().get(0),
          line.labels().get(1), line.labels().get(2));
      body(text, line.out());
      body(text, line.in());
      text.append('\n');
    }
  }

  private static void body(StringBuilder text, Result result) {
    format(text, "  %7s  %6s  %6s  %6s", narrow(result.micros(), WIDE_TIME), narrow(result.algbw(), WIDE_RATE),
        narrow(result.busbw(), WIDE_RATE), result.checked() ? "0" : "N/A");
  }

  /**
   * The number with as many decimals, at most two, as fit a width. C rounds exact halves to even, Java's formatter does
   * not.
   */
  static String narrow(double value, int width) {
    for (int decimals = 2; decimals >= 0; decimals--) {
      String text = new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
      if (text.length() <= width) {
        return " ".repeat(width - text.length()) + text;
      }
    }
    return String.format(Locale.ROOT, "%" + width + "s", scientific(value, width >= WIDE_TIME ? 2 : 1, false));
  }

  /** The number in the format %g of C: six digits, no zeros at the end. */
  static String general(double value) {
    if (value == 0) {
      return "0";
    }
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(SIX, RoundingMode.HALF_EVEN));
    int exponent = rounded.precision() - rounded.scale() - 1;
    return exponent < -4 || exponent >= SIX
        ? scientific(value, SIX, true)
        : rounded.stripTrailingZeros().toPlainString();
  }

  private static String scientific(double value, int digits, boolean stripped) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    int exponent = rounded.precision() - rounded.scale() - 1;
    BigDecimal mantissa = rounded.scaleByPowerOfTen(-exponent);
    String text = stripped
        ? mantissa.stripTrailingZeros().toPlainString()
        : mantissa.setScale(digits - 1, RoundingMode.UNNECESSARY).toPlainString();
    return text + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  private static void format(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values));
  }

  String json() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("program", head.program()).put("times", head.model()).put("nccl_version", head.versionCode());
    int[] n = head.repeated();
    ObjectNode config = root.putObject("config");
    config.put("nthreads", n[0]).put("ngpus", n[1]).put("minimum_bytes", head.range().least())
        .put("maximum_bytes", head.range().most());
    if (head.range().factor() > 1) {
      config.put("step_factor", head.range().factor());
    } else {
      config.put("step_bytes", head.range().step());
    }
    config.put("warmup_iters", n[2]).put("iterations", n[3]).put("aggregated_iterations", n[4])
        .put("validation", n[5]).put("graph", n[6]);
    ArrayNode list = config.putArray("devices");
    devices.forEach(each -> list.addObject().put("rank", each.rank()).put("group", 0).put("pid", each.process())
        .put("hostname", each.host()).put("device", each.number()).put("device_hex", each.busId())
        .put("device_info", each.name()));
    ArrayNode results = root.putArray("results");
    lines.forEach(line -> line(results.addObject(), line));
    root.putObject("out_of_bounds").put("count", 0).put("okay", true);
    root.putObject("average_bus_bandwidth").put("bandwidth", averageBusBandwidth()).put("okay", "unchecked");
    return root.toPrettyString() + "\n";
  }

  private void line(ObjectNode node, Line line) {
    node.put("size", line.size()).put("count", line.count()).put("type", line.labels().get(0))
        .put("redop", line.labels().get(1)).put("root", line.labels().get(2));
    result(node.putObject("out_of_place"), line.out());
    result(node.putObject("in_place"), line.in());
  }

  private static void result(ObjectNode node, Result result) {
    node.put("time", result.micros()).put("alg_bw", result.algbw()).put("bus_bw", result.busbw());
    if (result.checked()) {
      node.put("nwrong", 0);
    } else {
      node.put("nwrong", "N/A");
    }
  }
}
