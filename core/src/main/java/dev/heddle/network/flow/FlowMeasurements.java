package dev.heddle.network.flow;

import dev.heddle.engine.CollectiveLog;
import dev.heddle.network.Measurements;
import dev.heddle.network.Meter;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What one run of a {@link FlowNetwork} measured. */
final class FlowMeasurements implements Measurements {
  private final Carrier carrier;
  private final Meter meter;
  private final FlowSettings settings;
  private final int links;
  private final long endPs;

  FlowMeasurements(Carrier carrier, FlowSettings settings, int links, long endPs) {
    this.carrier = carrier;
    this.meter = carrier.meter;
    this.settings = settings;
    this.links = links;
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
    return carrier.events();
  }

  @Override
  public long hops() {
    return carrier.hopCount();
  }

  @Override
  public long fingerprint() {
    return meter.fingerprint();
  }

  @Override
  public long delivered() {
    return meter.totalDeliveredMessages();
  }

  @Override
  public long lost() {
    return 0;
  }

  @Override
  public long refused() {
    return meter.refused();
  }

  @Override
  public long offeredBytes(int kind) {
    return meter.offeredBytes(kind);
  }

  @Override
  public long deliveredBytes(int kind) {
    return meter.deliveredBytes(kind);
  }

  @Override
  public long deliveredMessages(int kind) {
    return meter.deliveredMessages(kind);
  }

  @Override
  public double meanLatencyPs(int kind) {
    long count = meter.deliveredMessages(kind);
    return count == 0 ? Double.NaN : (double) meter.latencySum(kind) / count;
  }

  @Override
  public Histogram latency(int kind) {
    return meter.latency(kind).copy();
  }

  @Override
  public List<CollectiveLog.Kind> collectives() {
    return carrier.collectives.log.kinds();
  }

  @Override
  public int links() {
    return links;
  }

  @Override
  public long busyPs(int link) {
    return carrier.usage.busyPs(link);
  }

  @Override
  public long stallPs(int link) {
    return 0;
  }

  @Override
  public long linkPayloadBytes(int link) {
    return carrier.usage.payloadBytes(link);
  }

  @Override
  public long linkUnits(int link) {
    return carrier.usage.messages(link);
  }

  @Override
  public long maxQueuedBytes(int link) {
    return carrier.usage.maxQueuedBytes(link);
  }
}
