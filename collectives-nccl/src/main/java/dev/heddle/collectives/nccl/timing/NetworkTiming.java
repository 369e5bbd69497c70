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
 * @param node data rate of all NICs of a node that a communicator uses; absent: by the NICs' links
 * @param efficiency share of the NICs' rate that packet headers and acknowledgements leave
 * @param latency of a step besides the transfer: proxy, clear to send, NIC, wire
 * @param simple additional time of a step with Simple: the proxy's post of a whole slice, fence and completion; with
 *     LL128, whose lines a proxy need not check, 0.39 of it, as in NCCL's tuning model (5.0, 8.5 and 14 us)
 * @param message time of a GPU's proxy for each message, in sequence
 * @param nics number of NICs of a node that a communicator uses, each with its own proxy; absent: by its plan
 * @param streams whether data leave before the receiver has room, as with TCP; true when NCCL uses sockets
 * @param flush read of GPU memory by a NIC, which orders earlier writes
 * @param staging staging of messages of some sizes; absent if NICs write all messages directly to GPU memory
 * @param arrival announcement of messages that are routed adaptively; absent if it costs nothing
 * @param packets division of messages into packets that a proxy handles; absent if NICs divide messages themselves
 */
public record NetworkTiming(
    @Setting("data rate at which all NICs of a node together send, at most; without it,"
        + " by their links") Optional<DataRate> node,
    @Setting(value = "share of the NICs' rate that is left of packet headers and acknowledgements", def = "0.97",
        min = "0.01", max = "1") double efficiency,
    @Setting("latency of a step besides its data: proxy, clear to send, NIC, wire") SimTime latency,
    @Setting(
        value = "by which a step takes longer with Simple: the proxy's post of a whole slice, fence and completion",
        def = "9 us",
        source = "NCCL's tuning model: a network step of a tree takes 14 us with Simple, 5 with LL") SimTime simple,
    @Setting(value = "time of a GPU's proxy for each message, one after the other", def = "0 s") SimTime message,
    @Setting("NICs of a node, each with a proxy of its own; without it,"
        + " those that NCCL's plan uses") Optional<Integer> nics,
    @Setting(
        value = "whether data leave before the receiver has room for them, as with TCP, not RDMA; so they do where NCCL"
            + " takes sockets",
        def = "false") boolean streams,
    @Setting(
        value = "a read of GPU memory after a receipt, where NCCL_NET_FORCE_FLUSH asks for it on GPUs that need none",
        def = "550 ns",
        source = "R. Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: median"
            + " of reads of 64 B by a NIC") SimTime flush,
    @Setting("messages that NICs deliver to a buffer of the host's, which copies them to the GPU; without it,"
        + " none") Optional<Staging> staging,
    @Setting("messages whose arrival one of 0 bytes tells, as their data are routed adaptively; without it,"
        + " none") Optional<Arrival> arrival,
    @Setting("packets into which a proxy divides messages, as libfabric does over EFA; without it, NICs"
        + " do") Optional<Packets> packets,
    @Setting("rate of one queue pair, of which a connection has NCCL_IB_QPS_PER_CONNECTION; without it, NICs limit"
        + " a connection alone") Optional<DataRate> pair) {
  /**
   * Staging of messages through a host buffer. The proxy copies them, and other messages wait meanwhile.
   *
   * @param above largest size without staging, because the CPU itself stores these messages to the GPU
   * @param upTo largest size with staging; the receiver's NIC fetches larger messages directly to the GPU
   * @param time additional time of a staged message
   */
  public record Staging(
      @Setting("greatest size that takes no longer, because the CPU itself stores so much to the GPU") DataSize above,
      @Setting("greatest size that does; larger ones are fetched by the receiver's NIC,"
          + " straight to the GPU") DataSize upTo,
      @Setting("by which they take longer") SimTime time) {}

  /**
   * The announcement of messages by a message of 0 bytes that follows on the same connection. A ring's step with LL128
   * and a larger message then takes as long as one with Simple, whose messages are larger; trees show none of it.
   *
   * @param above largest size that is announced by the message itself (NCCL_IB_AR_THRESHOLD)
   * @param time additional time for which a larger message occupies a connection
   */
  public record Arrival(
      @Setting(value = "greatest size that is one message by itself; NCCL_IB_AR_THRESHOLD, where it is set",
          def = "8 KiB") DataSize above,
      @Setting(value = "by which a connection is busy longer with larger ones", def = "0 s") SimTime time) {}

  /**
   * The division of messages into packets, each of which takes the time of a message of a GPU's proxy. Data of a GPU's
   * memory beyond what may be on its way to a peer are no packets: the peer's NIC reads them, after a round trip. LL's
   * lines, in the host's memory, are always packets.
   *
   * @param size data of a packet
   * @param most data on its way to a peer up to which messages are packets
   * @param read round trip before data that the peer's NIC reads
   */
  public record Packets(
      @Setting(value = "data of a packet", def = "8 KiB",
          source = "libfabric, fi_efa(7): the MTU is approximately 8 KiB") DataSize size,
      @Setting(value = "data on its way to a peer up to which messages are packets; the peer's NIC reads the rest",
          def = "300 KiB", source = "libfabric, prov/efa: EFA_DEFAULT_RUNT_SIZE (FI_EFA_RUNT_SIZE)") DataSize most,
      @Setting(value = "round trip before data that the peer's NIC reads", def = "31 us",
          source = "aws/aws-parallelcluster issue 1143: 15 us one way by osu_latency, or more") SimTime read) {}

  // The number of buffers in flight. The sender's proxy frees a slot when the slice has left, the receiver's when the
  // GPU has consumed it: each end has its own window, so that one window is in flight during a round trip [NCCL 2.8.4
  // to 2.30.7, transport/net.cc].
  private static final int ENDS = 1;
  // Share of the time that Simple adds to a step, for a message of LL128 that announces itself, by NCCL's tuning model:
  // 8.5 us in a network step of a tree, 14 with Simple, 5 with LL. The rest comes with the announcement.
  private static final double LL128_SHARE = 0.39;

  /** The number of windows of a protocol that a connection between nodes holds; 0 for unlimited. */
  public int buffers() {
    return streams ? 0 : ENDS;
  }

  /** A builder with the values of this network. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  NetworkTiming withSockets() {
    return toBuilder().streams(true).build();
  }

  NetworkTiming withFlush() {
    return toBuilder().simple(SimTime.ofPs(simple.ps() + flush.ps())).build();
  }

  NetworkTiming atMost(double rate) {
    return toBuilder().node(rate < nodeRate() ? gigabytes(rate) : node.orElse(gigabytes(rate))).build();
  }

  NetworkTiming withEfficiencyShare(double share) {
    return toBuilder().efficiency(efficiency * share).build();
  }

  /** The network with the rate and the number of the NICs in use. */
  NetworkTiming withNics(double rate, int count) {
    return toBuilder().node(gigabytes(rate)).nics(count).build();
  }

  private static DataRate gigabytes(double rate) {
    return DataRate.ofGigabitsPerSecond(Byte.SIZE * rate);
  }

  NetworkTiming withAdaptiveRouting(OptionalInt above) {
    return toBuilder().arrival(arrival.filter(any -> above.isPresent())
        .map(each -> new Arrival(DataSize.ofBytes(above.getAsInt()), each.time()))).build();
  }

  /** The data rate of the NICs in use of a node, bytes per nanosecond; infinite if it is unlimited. */
  double nodeRate() {
    return node.map(DataRate::bytesPerNano).orElse(Double.POSITIVE_INFINITY);
  }

  /** The data rate of one of the NICs in use, bytes per nanosecond; infinite if it is unlimited. */
  public double nicRate() {
    return nodeRate() / nicCount();
  }

  /** The network whose connections have a number of queue pairs. */
  NetworkTiming withPairs(int count) {
    return toBuilder().pair(pair.map(each -> gigabytes(count * each.bytesPerNano()))).build();
  }

  /** The data rate of a connection with a share of the NICs' rate, which its queue pairs may limit, as both are. */
  double connectionRate(double share) {
    return pair.map(each -> Math.min(share, each.bytesPerNano())).orElse(share);
  }

  /** The number of NICs in use of a node. */
  public int nicCount() {
    return nics.orElse(1);
  }

  /**
   * The latency of a step with a protocol, nanoseconds.
   *
   * @param bytes of its message on the wire
   */
  double stepNs(Protocol protocol, double bytes) {
    boolean announced = arrival.filter(each -> bytes > each.above().bytes()).isPresent();
    return latency.nanos() + simple.nanos() * switch (protocol) {
      case LL -> 0;
      case LL128 -> announced ? 1 : LL128_SHARE;
      case SIMPLE -> 1;
    };
  }

  /**
   * The round trip before the data of a message, nanoseconds; 0 unless the receiver reads it.
   *
   * @param flying bytes on the wire to its receiver
   */
  double readNs(Protocol protocol, double flying) {
    return packets.filter(each -> protocol != Protocol.LL && flying >= each.most().bytes())
        .map(each -> each.read().nanos()).orElse(0.0);
  }

  /** The part of the bytes to a peer that leaves as packets of the proxy; the peer reads the rest. */
  double packed(double bytes) {
    return packets.map(each -> Math.min(bytes, each.most().bytes())).orElse(0.0);
  }

  /** The time of a proxy for a message of a size on the wire, nanoseconds, which is packets unless it is read. */
  double messageNs(double bytes, boolean read) {
    double posts = packets.filter(any -> !read).map(each -> Math.ceil(bytes / each.size().bytes())).orElse(1.0);
    return message.nanos() * Math.max(1, posts) + staging.filter(
        each -> bytes > each.above().bytes() && bytes <= each.upTo().bytes()).map(each -> each.time().nanos())
        .orElse(0.0);
  }

  /** The additional time for which a message of a size on the wire occupies a connection, nanoseconds. */
  double arrivalNs(double bytes) {
    return arrival.filter(each -> bytes > each.above().bytes()).map(each -> each.time().nanos()).orElse(0.0);
  }

  /** Builder of a network's timing from that of another. */
  public static final class Builder {
    private final NetworkTiming base;
    private Optional<DataRate> node;
    private double efficiency;
    private SimTime latency;
    private SimTime simple;
    private SimTime message;
    private Optional<Integer> nics;
    private boolean streams;
    private Optional<Arrival> arrival;
    private Optional<DataRate> pair;

    private Builder(NetworkTiming base) {
      this.base = base;
      node = base.node;
      efficiency = base.efficiency;
      latency = base.latency;
      simple = base.simple;
      message = base.message;
      nics = base.nics;
      streams = base.streams;
      arrival = base.arrival;
      pair = base.pair;
    }

    Builder node(DataRate value) {
      node = Optional.of(value);
      return this;
    }

    /** Sets the share of the NICs' rate that headers and acknowledgements leave. */
    public Builder efficiency(double value) {
      efficiency = value;
      return this;
    }

    /** Sets the latency of a step besides the transfer. */
    public Builder latency(SimTime value) {
      latency = value;
      return this;
    }

    /** Sets the additional time of a step with Simple. */
    public Builder simple(SimTime value) {
      simple = value;
      return this;
    }

    /** Sets the time of a GPU's proxy for each message. */
    public Builder message(SimTime value) {
      message = value;
      return this;
    }

    Builder nics(int value) {
      nics = Optional.of(value);
      return this;
    }

    Builder streams(boolean value) {
      streams = value;
      return this;
    }

    Builder arrival(Optional<Arrival> value) {
      arrival = value;
      return this;
    }

    Builder pair(Optional<DataRate> value) {
      pair = value;
      return this;
    }

    /** Sets the rate of a queue pair. */
    public Builder pair(DataRate value) {
      return pair(Optional.of(value));
    }

    /** The timing with all values that were set; all others are those of the original. */
    public NetworkTiming build() {
      return new NetworkTiming(
          node, efficiency, latency, simple, message, nics, streams, base.flush, base.staging, arrival, base.packets,
          pair);
    }
  }
}
