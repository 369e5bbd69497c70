package dev.heddle.report;

import dev.heddle.results.Results.LinkUsage;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Links, in columns.
 *
 * @param tiers names
 * @param names of the links
 * @param tier index into {@code tiers}
 * @param utilization share of the window, 0 to 1
 * @param stall share of the window, 0 to 1
 * @param payload in GB/s
 * @param rate in GB/s
 * @param queue in bytes
 */
record LinkChart(
    List<String> tiers,
    List<String> names,
    List<Integer> tier,
    List<Double> utilization,
    List<Double> stall,
    List<Double> payload,
    List<Double> rate,
    List<Long> queue)
    implements ChartSpec {
  /** The most links that a page carries, those used most. */
  static final int MOST = 5000;

  @Override
  public String kind() {
    return "links";
  }

  /** The most used links, most used first. */
  static LinkChart of(List<LinkUsage> links) {
    List<LinkUsage> top = links.stream()
        .sorted(Comparator.comparingDouble(LinkUsage::utilization).reversed().thenComparing(LinkUsage::name))
        .limit(MOST)
        .toList();
    List<String> tiers = Charts.tiers(links);
    return new LinkChart(
        tiers,
        top.stream().map(LinkUsage::name).toList(),
        top.stream().map(link -> tiers.indexOf(link.tier())).toList(),
        column(top, LinkUsage::utilization),
        column(top, LinkUsage::creditStall),
        column(top, LinkUsage::payloadGBps),
        column(top, LinkUsage::rateGBps),
        top.stream().map(LinkUsage::maxQueueBytes).toList());
  }

  private static List<Double> column(List<LinkUsage> links, ToDoubleFunction<LinkUsage> value) {
    return links.stream().map(value::applyAsDouble).toList();
  }
}
