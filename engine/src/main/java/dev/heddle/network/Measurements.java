package dev.heddle.network;

import com.google.common.collect.ImmutableList;
import dev.heddle.engine.CollectiveLog;
import java.util.List;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of one run of a network, at any fidelity, summed over the parts that have separate clocks. A
 * {@code kind} is {@link Meter#INTRA} or {@link Meter#INTER}. The window is that of the run, or the whole run to
 * completion.
 */
public final class Measurements {
  private final ImmutableList<Part> parts;
  private final LinkCounters links;
  private final int linkCount;
  private final long endPs;
  private final long windowPs;
  private final @Nullable TransportCounters transport;
  private @Nullable SamplingError sampling;
  private @Nullable ReplayError replays;

  /**
   * Counters of one part of a network.
   *
   * @param meter of its terminals
   * @param log of its collectives
   * @param events processed
   * @param hops units that began to cross a link
   * @param lost packets that links lost
   */
  public record Part(Meter meter, CollectiveLog log, long events, long hops, long lost) {}

  /** Measurements without a transport protocol. */
  public Measurements(List<Part> parts, LinkCounters links, int linkCount, long endPs, long windowPs) {
    this(parts, links, linkCount, endPs, windowPs, null);
  }

  /**
   * Joins the counters of parts.
   *
   * @param parts of the network, at least one
   * @param links counters of links
   * @param linkCount the number of directed links
   * @param endPs simulated time at the end of the run
   * @param windowPs length of the measured window in picoseconds; the whole run where it ran to completion
   * @param transport counters of the transport protocol; null without one
   */
  public Measurements(
      List<Part> parts, LinkCounters links, int linkCount, long endPs, long windowPs,
      @Nullable TransportCounters transport) {
    this.parts = ImmutableList.copyOf(parts);
    this.links = links;
    this.linkCount = linkCount;
    this.endPs = endPs;
    this.windowPs = windowPs;
    this.transport = transport;
  }

  /** The parts that have separate clocks or meters. */
  public List<Part> parts() {
    return parts;
  }

  /** Counters of the transport protocol; null without one. */
  public @Nullable TransportCounters transport() {
    return transport;
  }

  /** The same of a run that may skip steady states. */
  public Measurements with(SamplingError error) {
    return with(error, replays);
  }

  /** The same of a run that may replay calls from records of other begins. */
  public Measurements with(ReplayError error) {
    return with(sampling, error);
  }

  private Measurements with(@Nullable SamplingError ofSamples, @Nullable ReplayError ofReplays) {
    Measurements shortened = new Measurements(parts, links, linkCount, endPs, windowPs, transport);
    shortened.sampling = ofSamples;
    shortened.replays = ofReplays;
    return shortened;
  }

  /** The error of a run that may replay calls from records of other begins; null for others. */
  public @Nullable ReplayError replays() {
    return replays;
  }

  /** The error of a run that may skip steady states; null for others. */
  public @Nullable SamplingError sampling() {
    return sampling;
  }

  /** Simulated time at the end of the run. */
  public long endPs() {
    return endPs;
  }

  /** Length of the measured window in picoseconds; the whole run where it ran to completion. */
  public long windowPs() {
    return windowPs;
  }

  /** Events processed. */
  public long events() {
    return parts.stream().mapToLong(Part::events).sum();
  }

  /** Units that began to cross a link; at flow fidelity a unit is a message. */
  public long hops() {
    return parts.stream().mapToLong(Part::hops).sum();
  }

  /** Hash over all deliveries. */
  public long fingerprint() {
    return sum(Meter::fingerprint);
  }

  /** Messages delivered over the whole run. */
  public long delivered() {
    return sum(Meter::totalDeliveredMessages);
  }

  /** Packets that links lost over the whole run. */
  public long lost() {
    return parts.stream().mapToLong(Part::lost).sum();
  }

  /** Messages refused by full injection queues within the window. */
  public long refused() {
    return sum(Meter::refused);
  }

  /** Payload offered within the window, refused messages included. */
  public long offeredBytes(int kind) {
    return sum(meter -> meter.offeredBytes(kind));
  }

  /** Payload delivered within the window. */
  public long deliveredBytes(int kind) {
    return sum(meter -> meter.deliveredBytes(kind));
  }

  /** Messages delivered whole within the window. */
  public long deliveredMessages(int kind) {
    return sum(meter -> meter.deliveredMessages(kind));
  }

  /** Mean time from generation to delivery within the window in picoseconds; NaN without a message. */
  public double meanLatencyPs(int kind) {
    long count = deliveredMessages(kind);
    return count == 0 ? Double.NaN : (double) sum(meter -> meter.latencySum(kind)) / count;
  }

  /** Times from generation to delivery within the window in picoseconds; a copy. */
  public Histogram latency(int kind) {
    Histogram merged = new Histogram(parts.get(0).meter().latency(kind));
    parts.forEach(part -> merged.add(part.meter().latency(kind)));
    return merged;
  }

  /** The kinds of collectives that ended, in order. */
  public List<CollectiveLog.Kind> collectives() {
    CollectiveLog merged = new CollectiveLog();
    parts.forEach(part -> merged.add(part.log()));
    return merged.kinds();
  }

  /** The number of directed links. */
  public int links() {
    return linkCount;
  }

  /** Counters of links within the window. */
  public LinkCounters counters() {
    return links;
  }

  private long sum(ToLongFunction<Meter> figure) {
    return parts.stream().mapToLong(part -> figure.applyAsLong(part.meter())).sum();
  }
}
