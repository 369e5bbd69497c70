package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * Measured messages between two hosts, by perftest or OSU's point-to-point benchmarks. They limit NCCL's network
 * constants from one side: a step takes longer than a message of the NICs alone, and the NICs send no faster.
 *
 * @param file name of the file
 * @param test its title, such as {@code RDMA_Write BW Test}
 * @param metric of the values
 * @param rows values by size
 */
public record MessageLog(String file, String test, Metric metric, List<Row> rows) {
  /** Copies the rows. */
  public MessageLog {
    rows = ImmutableList.copyOf(rows);
  }

  /** The metric of a benchmark. */
  public enum Metric {
    /** Time of a message in one direction, microseconds. */
    LATENCY,
    /** Data rate in one direction, gigabytes per second. */
    BANDWIDTH
  }

  /** A value of a size in bytes. */
  public record Row(long bytes, double value) {}

  /** The least latency, or the greatest bandwidth, over all sizes. */
  public double best() {
    return metric == Metric.LATENCY ? rows.stream().mapToDouble(Row::value).min().orElse(Double.NaN)
        : rows.stream().mapToDouble(Row::value).max().orElse(Double.NaN);
  }
}
