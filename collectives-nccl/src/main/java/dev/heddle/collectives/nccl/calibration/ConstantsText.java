package dev.heddle.collectives.nccl.calibration;

import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The YAML text of constants, for presets and for the list of fitted constants. */
public final class ConstantsText {
  private ConstantsText() {}

  /** The constants of a GPU generation as a YAML flow mapping. */
  public static String gpu(GpuTiming timing) {
    double[] v = GpuConstants.values(timing);
    String text = format("{launch: %s us, port: %s GB/s, copy: %s GB/s, own-copy: %s GB/s, slice: %s us,"
        + " seen: %s us, ll: {rate: %s GB/s, hop: %s us}, start: %s us",
        GpuConstants.micros(timing.launch()), v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    return text
        + timing.ll128().map(each -> format(", ll128: {rate: %s GB/s, hop: %s us}", each.rate().bytesPerNano(),
            GpuConstants.micros(each.hop()))).orElse("")
        + timing.nvls().map(each -> format(", nvls: {copy: %s GB/s}", each.copy().bytesPerNano())).orElse("") + "}";
  }

  /** The constants of a network as a YAML flow mapping. */
  public static String network(NetworkTiming timing) {
    double[] v = NetworkConstants.values(timing);
    String staging = timing.staging().map(each -> String.format(Locale.ROOT,
        ", staging: {above: %d B, up-to: %d B, time: %s us}", each.above().bytes(), each.upTo().bytes(),
        digits(GpuConstants.micros(each.time())))).orElse("");
    String arrival = timing.arrival().map(each -> format(", arrival: {above: %s B, time: %s us}",
        each.above().bytes(), GpuConstants.micros(each.time()))).orElse("");
    String packets = timing.packets().map(each -> format(", packets: {size: %s B, most: %s B, read: %s us}",
        each.size().bytes(), each.most().bytes(), GpuConstants.micros(each.read()))).orElse("");
    String pair = timing.pair().map(each -> format(", pair: %s GB/s", each.bytesPerNano())).orElse("");
    return format("{efficiency: %s, latency: %s us, simple: %s us, message: %s us", timing.efficiency(), v[0], v[1],
        v[2]) + (timing.streams() ? ", streams: true" : "") + staging + arrival + packets + pair + "}";
  }

  /** The file of fitted constants: those of all machines, and for each machine those that were fitted without it. */
  public static String list(ConstantSet all, Map<String, ConstantSet> without, List<MeasuredTable> tables) {
    StringBuilder text = new StringBuilder("# Written by 'heddle calibrate nccl --tables'. Times in us.\nall:\n");
    append(text, "  ", all, all.gpus().keySet(), all.networks().keySet());
    text.append("  machines:\n");
    all.launchMicros().forEach((machine, launch) -> text.append(format("    %s: {launch: %s us", machine, launch))
        .append(all.efficiencies().containsKey(machine) ? format(", efficiency: %s", all.efficiencies().get(machine))
            : "")
        .append("}\n"));
    all.efficiencies().forEach((machine, share) -> text.append(
        all.launchMicros().containsKey(machine) ? "" : format("    %s: {efficiency: %s}\n", machine, share)));
    text.append("left-out:\n");
    without.forEach((machine, constants) -> {
      List<MeasuredTable> own = tables.stream().filter(table -> table.machine().equals(machine)).toList();
      text.append("  ").append(machine).append(":\n");
      append(text, "    ", constants, own.stream().map(MeasuredTable::generation).distinct().sorted().toList(),
          own.stream().map(MeasuredTable::network).filter(id -> !id.isEmpty()).distinct().sorted().toList());
    });
    return text.toString();
  }

  private static void append(StringBuilder text, String indent, ConstantSet constants, Iterable<String> gpus,
      Iterable<String> networks) {
    text.append(indent).append("gpus:\n");
    gpus.forEach(id -> text.append(indent).append("  ").append(id).append(": ").append(gpu(constants.gpu(id)))
        .append('\n'));
    if (networks.iterator().hasNext()) {
      text.append(indent).append("networks:\n");
      networks.forEach(id -> text.append(indent).append("  ").append(id).append(": ")
          .append(network(constants.network(id))).append('\n'));
    }
  }

  private static String format(String pattern, Object... values) {
    Object[] texts = new Object[values.length];
    for (int i = 0; i < values.length; i++) {
      texts[i] = values[i] instanceof Double number ? digits(number) : values[i];
    }
    return String.format(Locale.ROOT, pattern, texts);
  }

  // The value with four digits, more than the accuracy of any constant.
  static String digits(double value) {
    return new java.math.BigDecimal(value).round(new java.math.MathContext(4)).stripTrailingZeros().toPlainString();
  }
}
