package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the network between a machine's nodes takes.
 *
 * @param node rate of data at which a node's NICs send, all together: the least of wire, PCIe and NIC
 * @param latency of a step besides its data: proxy, clear to send, NIC, wire
 * @param message what the proxy of a GPU takes for each message, one after the other
 * @param nics GPUs of a node that own NICs, each with a proxy of its own
 * @param streams whether data leave before the receiver has room, as with TCP; so they do where NCCL takes sockets
 * @param flush a read of GPU memory by a NIC, which orders what was written before it
 * @param staging of messages of some sizes; absent where NICs write every message to where it belongs
 * @param arrival of messages that are routed adaptively; absent where it tells at no cost
 */
public record NetworkTiming(
    @Setting("rate of data at which a node's NICs send, all together: the least of wire, PCIe and NIC") DataRate node,
    @Setting("latency of a step besides its data: proxy, clear to send, NIC, wire") SimTime latency,
    @Setting(value = "what the proxy of a GPU takes for each message, one after the other",
        def = "0 s") SimTime message,
    @Setting(value = "GPUs of a node that own NICs, each with a proxy of its own", def = "8", min = "1",
        max = "72") int nics,
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

  // Each end of a connection has a buffer of its own: what the sender's proxy has yet to send, and what the receiver has yet
  // to take [NCCL 2.8.4 to 2.30.7, transport/net.cc].
  private static final int ENDS = 2;

  /** How many times the window of a protocol a connection between nodes holds; 0 for any number. */
  public int buffers() {
    return streams ? 0 : ENDS;
  }

  NetworkTiming streaming() {
    return new NetworkTiming(node, latency, message, nics, true, flush, staging, arrival);
  }

  NetworkTiming atMost(double rate) {
    DataRate least = rate < node.bytesPerNano() ? DataRate.ofGigabitsPerSecond(Byte.SIZE * rate) : node;
    return new NetworkTiming(least, latency, message, nics, streams, flush, staging, arrival);
  }

  NetworkTiming arriving(OptionalInt above) {
    Optional<Arrival> changed = arrival.filter(any -> above.isPresent())
        .map(each -> new Arrival(DataSize.ofBytes(above.getAsInt()), each.time()));
    return new NetworkTiming(node, latency, message, nics, streams, flush, staging, changed);
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
