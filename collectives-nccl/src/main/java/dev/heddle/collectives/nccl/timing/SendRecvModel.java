package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;

/**
 * The closed form of send and receive and of the collectives that consist of them. Every rank sends each of its
 * messages over some channels; messages to different nodes use different channels as far as possible, and up to eight
 * messages to one node share a set. When one rank sends to all, as in scatter, messages to another rail leave by the
 * port of the neighbour on that rail. Proxies handle the chunks of a NIC in sequence, and a connection holds a limited
 * number of chunks.
 */
public final class SendRecvModel {
  // Largest number of messages to one node that share a thread block [NCCL 2.8.4 to 2.30.7, enqueue.cc].
  private static final int SHARING = 8;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final PairChannels channels;
  private final PairLinks.Load link;

  SendRecvModel(MachineTiming machine, RankLayout layout, PairChannels channels) {
    this(machine, layout, channels, PairLinks.Load.NONE);
  }

  /**
   * The model of a call with the load of the busiest link between GPUs of a node.
   *
   * @param link its load by the messages of the call
   */
  SendRecvModel(MachineTiming machine, RankLayout layout, PairChannels channels, PairLinks.Load link) {
    this.machine = machine;
    this.layout = layout;
    this.channels = channels;
    this.link = link;
  }

  /**
   * The data rate of all thread blocks of a rank with messages within a node, bytes per nanosecond. The switches cut
   * through, so that a message holds the sender's port and the receiver's at the same time, as one.
   *
   * @param block rate of one thread block that has the port to itself
   * @param wire bytes on the wire per byte of data
   * @param blocks number of thread blocks, at least 1
   */
  public static double localRate(GpuTiming gpu, double block, double wire, double blocks) {
    return SharedPort.rate(block, gpu.port().bytesPerNano() / wire, blocks);
  }

  /**
   * The time by which the last thread block of a rank with messages within a node ends after the mean, nanoseconds; 0
   * with LL, as in rings.
   *
   * @param lines whether the protocol is LL instead of Simple
   * @param data bytes of all blocks
   * @param blocks number of thread blocks, at least 1
   * @param times for which each block's part of the data occupies the block and its share of the port
   */
  public static double localSpreadNs(boolean lines, double data, double blocks, CallTime.Resources times) {
    return lines ? 0 : PortSpread.ns((int) Math.round(blocks), data / blocks, times);
  }

  /**
   * The messages that a rank sends.
   *
   * @param local number of messages to ranks of its node
   * @param remote number of messages to ranks of other nodes
   * @param own whether it also copies its own block
   * @param bytes of each message
   */
  record Messages(int local, int remote, boolean own, double bytes) {
    /** One message, to a rank of the same node or of another. */
    static Messages one(double bytes, boolean remote) {
      return new Messages(remote ? 0 : 1, remote ? 1 : 0, false, bytes);
    }
  }

  /** The time in which every rank exchanges messages, independent of the NICs in use. */
  ChannelTime exchange(Messages messages) {
    return of(CollectiveOp.ALL_TO_ALL_V, messages);
  }

  ChannelTime of(CollectiveOp op, long bytes, boolean inPlace) {
    return of(op, messages(op, bytes, inPlace));
  }

  private ChannelTime of(CollectiveOp op, Messages messages) {
    ChannelTime local = local(op, messages);
    if (messages.remote() == 0) {
      return local;
    }
    Rates out = remoteRates(op, messages);
    double data = messages.remote() * messages.bytes();
    double wait = machine.gpu().pairStart(true).nanos() + Hops.postedNs(machine, layout, messages.remote())
        + readNs(messages.bytes()) + fillNs(op, messages, out);
    double remoteNs = data / out.least();
    return wait + remoteNs >= local.nanos() ? new ChannelTime(wait + remoteNs, out, data, wait > remoteNs) : local;
  }

  private Messages messages(CollectiveOp op, long bytes, boolean inPlace) {
    boolean apart = !inPlace && channels.selfCopySeparate();
    int local = layout.perNode() - (inPlace || apart ? 1 : 0);
    int remote = layout.ranks() - layout.perNode();
    double block = (double) bytes / layout.ranks();
    return switch (op) {
      case SEND_RECV -> layout.perNode() > 1 ? new Messages(1, layout.networked() ? 1 : 0, false, bytes)
          : new Messages(0, 1, false, bytes);
      case GATHER, SCATTER, ALL_TO_ALL, ALL_TO_ALL_V -> new Messages(local, remote, apart, block);
      default -> throw new IllegalArgumentException(op.key() + " is not built of send and receive");
    };
  }

  // The time of messages within a node. Messages to different peers and a rank's own block, which does not use the
  // port, have different thread blocks as long as there are enough: otherwise a block copies its part of the own block,
  // too. Relayed messages go to a buffer of the neighbour's connection, as over a network.
  private ChannelTime local(CollectiveOp op, Messages messages) {
    GpuTiming gpu = machine.gpu();
    double relayed = messages.remote() * (channels.rails() - 1.0) / channels.rails();
    double wait = relayed > 0 ? remoteStartNs() : gpu.pairStart(channels.lines()).nanos();
    double sent = messages.local() + relayed;
    double own = messages.own() ? messages.bytes() / gpu.ownCopy().bytesPerNano() : 0;
    int used = Math.min(channels.all(), channels.message() * (op == CollectiveOp.SEND_RECV ? 1 : layout.ranks()));
    if (sent == 0) {
      return new ChannelTime(own > 0 ? wait + own / used : 0, Rates.UNLIMITED, 0, wait > own / used);
    }
    double blocks = Math.min(used, sent * channels.message());
    double copy = localCopy(op, sent * channels.message() / blocks);
    double data = sent * messages.bytes();
    boolean together = channels.message() * layout.ranks() > channels.all();
    double block = together && data > 0 ? 1 / (1 / copy + own / data) : copy;
    double wire = Buffers.wirePerData(channels.lines() ? Protocol.LL : Protocol.SIMPLE);
    double last = channels.lines() ? 0
        : Math.min(messages.bytes() / channels.message(), localChunk()) / gpu.ownCopy().bytesPerNano();
    Rates rates = new Rates(blocks * block, gpu.port().bytesPerNano() / wire, Double.POSITIVE_INFINITY, 1);
    double portNs = data / localRate(gpu, block, wire, blocks)
        + localSpreadNs(channels.lines(), data, blocks, rates.times(data));
    double linkNs = linkNs(block, wire, messages.bytes());
    double busy = last + Math.max(portNs, linkNs);
    Rates least = linkNs > portNs
        ? new Rates(rates.copy(), Math.min(rates.port(), data * link.rate() / wire / link.bytes()), rates.network(), 1)
        : rates;
    return new ChannelTime(busy > 0 ? wait + busy : 0, least, data, wait > busy);
  }

  // The time of the busiest link between two GPUs, which the thread blocks of its messages share as others do the port.
  private double linkNs(double block, double wire, double bytes) {
    if (link.bytes() == 0 || bytes == 0) {
      return 0;
    }
    double rate = link.rate() / wire;
    double blocks = Math.max(1, link.bytes() / bytes * channels.message());
    return link.bytes() / SharedPort.rate(block, rate, blocks) + localSpreadNs(channels.lines(), link.bytes(), blocks,
        new CallTime.Resources(link.bytes() / blocks / block, link.bytes() / rate, 0));
  }

  // The rate of a thread block with some messages within a node, whose flags it awaits at the same time.
  private double localCopy(CollectiveOp op, double messages) {
    GpuTiming gpu = machine.gpu();
    return channels.lines() ? gpu.ll().rate().bytesPerNano()
        : Math.min(gpu.channelCopy(oneWay(op)), Math.max(1, messages) * gpu.pairCopy(localChunk(), 0, oneWay(op)));
  }

  // The chunk of messages within a node, bytes; with several nodes it is the network's.
  private double localChunk() {
    return layout.networked() ? channels.chunk() : GpuTiming.LOCAL_CHUNK;
  }

  /** Whether a thread block of an operation only sends or only receives. */
  public static boolean oneWay(CollectiveOp op) {
    return op == CollectiveOp.SCATTER || op == CollectiveOp.GATHER;
  }

  private double remoteStartNs() {
    return machine.gpu().pairStart(true).nanos() + Hops.networkNs(machine, layout, Protocol.LL);
  }

  // The time without overlap of thread blocks and NICs: one chunk of every message, since these leave the shared thread
  // blocks together, and the copy of the last one by its receiver.
  private double fillNs(CollectiveOp op, Messages messages, Rates out) {
    return oneOfEach(messages) / Math.max(out.copy(), out.network())
        + chunk(messages.bytes()) / remoteCopy(1, oneWay(op));
  }

  private double chunk(double bytes) {
    return Math.min(bytes / channels.message(), channels.chunk());
  }

  // The total size of one chunk of every message to another node on each of its channels.
  private double oneOfEach(Messages messages) {
    return messages.remote() * channels.message() * chunk(messages.bytes());
  }

  // The number of ranks whose messages to other nodes pass the busiest NIC. The channels of a message take turns at the
  // NICs next to its rank, where the ranks of a node are fewer than these.
  private double load(CollectiveOp op, NetworkTiming net) {
    double all = (double) layout.perNode() / net.nicCount();
    double one = Math.max(1.0 / channels.message(), Math.min(1, all));
    return switch (op) {
      case SEND_RECV -> one;
      case GATHER, SCATTER -> Math.min(1.0 / channels.rails(), one);
      default -> all;
    };
  }

  private Rates remoteRates(CollectiveOp op, Messages messages) {
    int used = used(messages.remote(), layout, channels.message(), channels.all());
    double copy =
        remoteCopy(sharing(messages.remote(), layout, channels.message(), channels.all()), oneWay(op));
    double share = machine.network().map(net -> nicRate(net, messages.bytes()) / load(op, net))
        .orElse(Double.POSITIVE_INFINITY);
    return new Rates(used * copy, Double.POSITIVE_INFINITY, Math.min(share, heldRate(messages, used * copy, share)), 1);
  }

  /**
   * The number of messages to other nodes that share a thread block.
   *
   * @param remote messages of a rank to other nodes
   * @param each channels of a message, at least 1
   * @param all all channels, at least {@code each}
   */
  static int sharing(int remote, RankLayout layout, int each, int all) {
    int used = Math.max(1, used(remote, layout, each, all));
    return Math.min(SHARING, (remote * each + used - 1) / used);
  }

  // The number of channels of a rank's messages to other nodes. Those to one node share sets of channels.
  private static int used(int remote, RankLayout layout, int each, int all) {
    int nodes = (remote + layout.perNode() - 1) / layout.perNode();
    int sets = nodes * ((Math.min(remote, layout.perNode()) + SHARING - 1) / SHARING);
    return Math.min(all, each * sets);
  }

  // The rate if a connection holds a limited number of chunks, each of which waits for room.
  private double heldRate(Messages messages, double copy, double share) {
    int held = Hops.window(machine, layout, channels.held());
    double windows = held > 0 ? Math.floor((chunks(messages.bytes()) - 1) / held) : 0;
    if (windows <= 0) {
      return Double.POSITIVE_INFINITY;
    }
    double each = oneOfEach(messages);
    double pathNs = Hops.networkNs(machine, layout, Protocol.SIMPLE) + readNs(messages.bytes()) + each / share;
    return messages.remote() * messages.bytes() / (windows * Hops.roomNs(pathNs, each / copy, layout));
  }

  // The number of chunks of a message on each of its channels.
  private double chunks(double bytes) {
    double chunk = chunk(bytes);
    return chunk > 0 ? Math.ceil(bytes / channels.message() / chunk) : 0;
  }

  // The data rate of a NIC, whose proxy handles the chunks of all its messages in sequence.
  private double nicRate(NetworkTiming net, double bytes) {
    double proxyNs = channels.message() * proxyNs(net, bytes);
    return proxyNs > 0 ? Math.min(net.nicRate(), bytes / proxyNs) : net.nicRate();
  }

  // The time of a proxy for one channel of a message.
  private double proxyNs(NetworkTiming net, double bytes) {
    double packed = net.packed(bytes);
    return (packed > 0 ? packedNs(net, packed) : 0)
        + chunks(bytes - packed) * net.messageNs(chunk(bytes - packed), true);
  }

  /** The mean time of a proxy for a chunk of a message to another node, nanoseconds. */
  double proxyNs(double bytes) {
    return machine.network().map(net -> proxyNs(net, bytes) / Math.max(1, chunks(bytes))).orElse(0.0);
  }

  /** The number of ranks whose messages to other nodes pass the busiest NIC. */
  double load(CollectiveOp op) {
    return machine.network().map(net -> load(op, net)).orElse(0.0);
  }

  // The time of a proxy for the packets of one channel of a message.
  private double packedNs(NetworkTiming net, double bytes) {
    return net.messageNs(bytes / channels.message(), false);
  }

  // The round trip before the part of a message that its receiver reads.
  private double readNs(double bytes) {
    return Hops.readNs(machine, layout, channels.lines() ? Protocol.LL : Protocol.SIMPLE, bytes, 1);
  }

  // The copy rate of one channel with a number of messages to other nodes, each of which waits for its own flags.
  private double remoteCopy(int messages, boolean oneWay) {
    GpuTiming gpu = machine.gpu();
    return Math.min(gpu.channelCopy(oneWay),
        messages * gpu.pairCopy(channels.chunk(), machine.host().postNs(), oneWay));
  }
}
