package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Rates and times of the network between a machine's nodes.
 *
 * @param node data rate at which the NICs that a communicator uses on a node send, all together; absent: the NICs' rates
 * @param efficiency share of the NICs' rate that is left of packet headers and acknowledgements
 * @param latency of a step besides its data: proxy, clear to send, NIC, wire
 * @param simple by which a step takes longer with Simple: the proxy's post of a whole slice, fence and completion; with
 *     LL128, whose lines a proxy need not check, 0.39 of it, as in NCCL's tuning model (5.0, 8.5 and 14 us)
 * @param message what the proxy of a GPU takes for each message, one after the other
 * @param nics NICs that a communicator uses on a node, each with a proxy of its own; absent: by its plan
 * @param streams whether data leave before the receiver has room, as with TCP; so they do where NCCL takes sockets
 * @param flush a read of GPU memory by a NIC, which orders what was written before it
 * @param staging of messages of some sizes; absent where NICs write every message to where it belongs
 * @param arrival of messages that are routed adaptively; absent where it tells at no cost
 */
public record NetworkTiming(
    @Setting("data rate at which all NICs of a node together send, at most; without it, by their links") Optional<DataRate> node,
    @Setting(value = "share of the NICs' rate that is left of packet headers and acknowledgements", def = "0.97",
        min = "0.01", max = "1") double efficiency,
    @Setting("latency of a step besides its data: proxy, clear to send, NIC, wire") SimTime latency,
    @Setting(
        value = "by which a step takes longer with Simple: the proxy's post of a whole slice, fence and completion",
        def = "9 us",
        source = "NCCL's tuning model: a network step of a tree takes 14 us with Simple, 5 with LL") SimTime simple,
    @Setting(value = "time of a GPU's proxy for each message, one after the other", def = "0 s") SimTime message,
    @Setting("NICs of a node, each with a proxy of its own; without it, those that NCCL's plan uses") Optional<Integer> nics,
    @Setting(
        value = "whether data leave before the receiver has room for them, as with TCP, not RDMA; so they do where NCCL"
            + " takes sockets",
        def = "false") boolean streams,
    @Setting(
        value = "a read of GPU memory after a receipt, where NCCL_NET_FORCE_FLUSH asks for it on GPUs that need none",
        def = "550 ns",
        source = "R. Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: median"
            + " of reads of 64 B by a NIC") SimTime flush,
    @Setting("messages that NICs deliver to a buffer of the host's, which copies them to the GPU; without it, none") Optional<Staging> staging,
    @Setting("messages whose arrival one of 0 bytes tells, as their data are routed adaptively; without it, no cost") Optional<Arrival> arrival) {
  /**
   * Messages that go by a buffer of the host's. The proxy copies them, so that others wait meanwhile.
   *
   * @param above greatest size that takes no longer, because the CPU itself stores so much to the GPU
   * @param upTo greatest size that does; larger ones are fetched by the receiver's NIC, straight to the GPU
   * @param time by which they take longer
   */
  public record Staging(
      @Setting("greatest size that takes no longer, because the CPU itself stores so much to the GPU") DataSize above,
      @Setting("greatest size that does; larger ones are fetched by the receiver's NIC, straight to the GPU") DataSize upTo,
      @Setting("by which they take longer") SimTime time) {}

  /**
   * Messages whose arrival one of 0 bytes tells, which follows on the same connection.
   *
   * @param above greatest size that is one message by itself (NCCL_IB_AR_THRESHOLD)
   * @param time by which a connection is busy longer with larger ones
   */
  public record Arrival(
      @Setting(value = "greatest size that is one message by itself; NCCL_IB_AR_THRESHOLD, where it is set",
          def = "8 KiB") DataSize above,
      @Setting("by which a connection is busy longer with larger ones") SimTime time) {}

  // The sender's proxy frees a slot when the slice has left, the receiver's when the GPU has taken it: each has a window of
  // its own, so that one window is under way in a round trip [NCCL 2.8.4 to 2.30.7, transport/net.cc].
  private static final int ENDS = 1;
  private static final double LL128_SHARE = 0.39;

  /** How many times the window of a protocol a connection between nodes holds; 0 for any number. */
  public int buffers() {
    return streams ? 0 : ENDS;
  }

  NetworkTiming streaming() {
    return new NetworkTiming(node, efficiency, latency, simple, message, nics, true, flush, staging, arrival);
  }

  NetworkTiming flushing() {
    SimTime later = SimTime.ofPs(simple.ps() + flush.ps());
    return new NetworkTiming(node, efficiency, latency, later, message, nics, streams, flush, staging, arrival);
  }

  NetworkTiming atMost(double rate) {
    DataRate least = rate < nodeRate() ? gigabytes(rate) : node.orElse(gigabytes(rate));
    return new NetworkTiming(
        Optional.of(least), efficiency, latency, simple, message, nics, streams, flush, staging, arrival);
  }

  NetworkTiming efficient(double share) {
    return new NetworkTiming(node, efficiency * share, latency, simple, message, nics, streams, flush, staging,
        arrival);
  }

  /** The same with the rate and the number of the NICs in use. */
  NetworkTiming using(double rate, int count) {
    return new NetworkTiming(Optional.of(gigabytes(rate)), efficiency, latency, simple, message, Optional.of(count),
        streams, flush, staging, arrival);
  }

  private static DataRate gigabytes(double rate) {
    return DataRate.ofGigabitsPerSecond(Byte.SIZE * rate);
  }

  NetworkTiming arriving(OptionalInt above) {
    Optional<Arrival> changed = arrival.filter(any -> above.isPresent())
        .map(each -> new Arrival(DataSize.ofBytes(above.getAsInt()), each.time()));
    return new NetworkTiming(node, efficiency, latency, simple, message, nics, streams, flush, staging, changed);
  }

  /** The data rate of the NICs of a node that are in use, bytes per nanosecond; infinite where nothing limits it. */
  double nodeRate() {
    return node.map(DataRate::bytesPerNano).orElse(Double.POSITIVE_INFINITY);
  }

  /** The NICs of a node that are in use. */
  int nicCount() {
    return nics.orElse(1);
  }

  /** The latency of a step with a protocol, nanoseconds. */
  double stepNs(Protocol protocol) {
    return latency.nanos() + switch (protocol) {
      case LL -> 0;
      case LL128 -> LL128_SHARE * simple.nanos();
      case SIMPLE -> simple.nanos();
    };
  }

  /** What a proxy takes for a message of so many bytes on the wire, nanoseconds. */
  double messageNs(double bytes) {
    return message.nanos() + staging.filter(
        each -> bytes > each.above().bytes() && bytes <= each.upTo().bytes()).map(each -> each.time().nanos())
        .orElse(0.0);
  }

  /** By how much longer a connection is busy with a message of so many bytes on the wire, nanoseconds. */
  double arrivalNs(double bytes) {
    return arrival.filter(each -> bytes > each.above().bytes()).map(each -> each.time().nanos()).orElse(0.0);
  }
}
