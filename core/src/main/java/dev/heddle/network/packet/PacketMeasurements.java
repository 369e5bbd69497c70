package dev.heddle.network.packet;

import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** What one run of a {@link PacketNetwork} measured, summed over its partitions. */
public final class PacketMeasurements {
  /** Messages within a node. */
  public static final int INTRA = Meter.INTRA;

  /** Messages between nodes. */
  public static final int INTER = Meter.INTER;

  private final NetworkPlan plan;
  private final SharedState state;
  private final Partition[] partitions;
  private final PacketSettings settings;
  private final long endPs;

  PacketMeasurements(
      NetworkPlan plan, SharedState state, Partition[] partitions, PacketSettings settings, long endPs) {
    this.plan = plan;
    this.state = state;
    this.partitions = partitions;
    this.settings = settings;
    this.endPs = endPs;
  }

  /** Simulated time at the end of the run. */
  public long endPs() {
    return endPs;
  }

  /** Length of the measured window in picoseconds; the whole run where it ran to completion. */
  public long windowPs() {
    return Math.min(endPs, settings.windowEndPs()) - settings.windowStartPs();
  }

  /** Events processed. */
  public long events() {
    return sum(partition -> partition.events);
  }

  /** Units that began to cross a link. */
  public long hops() {
    return sum(partition -> partition.hops);
  }

  /** Hash over all deliveries, the same for every division into partitions. */
  public long fingerprint() {
    return sum(partition -> partition.meter.fingerprint);
  }

  /** Messages submitted over the whole run. */
  public long submitted() {
    return sum(partition -> partition.meter.submitted);
  }

  /** Messages delivered over the whole run. */
  public long delivered() {
    return sum(partition -> partition.meter.totalDeliveredMessages);
  }

  /** Messages refused by full injection queues within the window. */
  public long refused() {
    return sum(partition -> partition.meter.refused);
  }

  /** Payload offered within the window, refused messages included. */
  public long offeredBytes(int kind) {
    return sum(partition -> partition.meter.offeredBytes[kind]);
  }

  /** Payload delivered within the window. */
  public long deliveredBytes(int kind) {
    return sum(partition -> partition.meter.deliveredBytes[kind]);
  }

  /** Messages delivered whole within the window. */
  public long deliveredMessages(int kind) {
    return sum(partition -> partition.meter.deliveredMessages[kind]);
  }

  /** Mean time from generation to delivery within the window in picoseconds; NaN without a message. */
  public double meanLatencyPs(int kind) {
    long count = deliveredMessages(kind);
    return count == 0 ? Double.NaN : (double) sum(partition -> partition.meter.latencySum[kind]) / count;
  }

  /** Times from generation to delivery within the window in picoseconds. */
  public Histogram latency(int kind) {
    Histogram merged = new Histogram(partitions[0].meter.latency[kind]);
    for (Partition partition : partitions) {
      merged.add(partition.meter.latency[kind]);
    }
    return merged;
  }

  /** Time within the window for which a link carried bytes. */
  public long busyPs(int link) {
    return state.links.busyPs(link);
  }

  /** Time within the window for which a link was idle with a unit waiting for credit. */
  public long stallPs(int link) {
    return state.links.stallPs(link);
  }

  /** Payload that began to cross a link within the window. */
  public long linkPayloadBytes(int link) {
    return state.links.payloadBytes(link);
  }

  /** Units that began to cross a link within the window. */
  public long linkUnits(int link) {
    return state.links.units(link);
  }

  /** The most bytes that waited for a link at once. */
  public long maxQueuedBytes(int link) {
    return state.links.maxQueuedBytes(link);
  }

  /** The number of partitions that the run was divided into. */
  public int partitions() {
    return partitions.length;
  }

  /** The most events that were pending at once in any partition. */
  public int queueHighWater() {
    return Arrays.stream(partitions).mapToInt(partition -> partition.queue.highWater()).max().orElse(0);
  }

  /** The number of directed links. */
  public int links() {
    return plan.links;
  }

  private long sum(ToLongFunction<Partition> figure) {
    return Arrays.stream(partitions).mapToLong(figure).sum();
  }
}
