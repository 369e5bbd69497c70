package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveLog;
import dev.heddle.network.Measurements;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/** What one run of a {@link PacketNetwork} measured, summed over its partitions. */
public final class PacketMeasurements implements Measurements {
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

  @Override
  public long endPs() {
    return endPs;
  }

  @Override
  public long windowPs() {
    return Math.min(endPs, settings.windowEndPs()) - settings.windowStartPs();
  }

  @Override
  public long events() {
    return sum(partition -> partition.events);
  }

  @Override
  public long hops() {
    return sum(partition -> partition.hops);
  }

  @Override
  public long fingerprint() {
    return sum(partition -> partition.meter.fingerprint());
  }

  @Override
  public long delivered() {
    return sum(partition -> partition.meter.totalDeliveredMessages());
  }

  @Override
  public long lost() {
    return sum(partition -> partition.losses.lost());
  }

  @Override
  public long refused() {
    return sum(partition -> partition.meter.refused());
  }

  @Override
  public long offeredBytes(int kind) {
    return sum(partition -> partition.meter.offeredBytes(kind));
  }

  @Override
  public long deliveredBytes(int kind) {
    return sum(partition -> partition.meter.deliveredBytes(kind));
  }

  @Override
  public long deliveredMessages(int kind) {
    return sum(partition -> partition.meter.deliveredMessages(kind));
  }

  @Override
  public double meanLatencyPs(int kind) {
    long count = deliveredMessages(kind);
    return count == 0 ? Double.NaN : (double) sum(partition -> partition.meter.latencySum(kind)) / count;
  }

  @Override
  public Histogram latency(int kind) {
    Histogram merged = new Histogram(partitions[0].meter.latency(kind));
    for (Partition partition : partitions) {
      merged.add(partition.meter.latency(kind));
    }
    return merged;
  }

  @Override
  public long busyPs(int link) {
    return state.links.busyPs(link);
  }

  @Override
  public long stallPs(int link) {
    return state.links.stallPs(link);
  }

  @Override
  public long linkPayloadBytes(int link) {
    return state.links.payloadBytes(link);
  }

  @Override
  public long linkUnits(int link) {
    return state.links.units(link);
  }

  @Override
  public long maxQueuedBytes(int link) {
    return state.links.maxQueuedBytes(link);
  }

  @Override
  public List<CollectiveLog.Kind> collectives() {
    CollectiveLog merged = new CollectiveLog();
    for (Partition partition : partitions) {
      merged.add(partition.log);
    }
    return merged.kinds();
  }

  @Override
  public int links() {
    return plan.links;
  }

  private long sum(ToLongFunction<Partition> figure) {
    return Arrays.stream(partitions).mapToLong(figure).sum();
  }
}
