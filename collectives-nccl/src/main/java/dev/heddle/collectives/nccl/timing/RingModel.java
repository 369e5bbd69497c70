package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;
import java.util.function.Supplier;

/**
 * The closed form of a ring. A channel processes its part of the data in loops. In each loop the chunk of every rank
 * takes {@code 2 (n - 1)} steps for all_reduce, or {@code n - 1} for all_gather and reduce_scatter.
 *
 * <p>With Simple a chunk is two slices, and a step takes the longer of a rank's work on both and the path of one slice
 * to the next rank. With LL and LL128 the data of a step follow those of the step before without slices. Thread blocks
 * poll, add and store lines in passes; at first all do so in step, but within a long chunk of LL128 they drift apart,
 * so that some use the port while others poll. Between nodes they are apart from the first crossing on, since a GPU is
 * at another distance from a crossing in each channel.
 *
 * <p>Data that start at the second rank of a node cross the network every {@code n / nodes} steps, once more than other
 * data. The latency of the network counts for each crossing when the chain of steps is the critical path, but only once
 * when bandwidth limits the time, since ranks ahead of a crossing wait no more.
 *
 * <p>Broadcast and reduce are chains, whose consecutive calls overlap: the busiest rank determines the time, with the
 * next rank's copy of the last chunk. A connection to another node holds a limited number of slices; a sender with more
 * data in flight waits for room.
 *
 * <p>Channels of a long call do not end together, see {@link PortSpread}. Steps that add integers of eight bits take
 * longer than others, see {@link ByteSums}, also where the port limits them: a warp adds after its loads and before its
 * stores, which reach the port later by that time.
 *
 * <p>Channels start one after the other: with the LL protocols and in chains, channels that have not started yet or
 * have already ended leave the port to the others.
 */
final class RingModel {
  // Data that a channel's threads process in four passes, after which they have drifted apart, as tables of one node
  // and of two show together.
  private static final double IN_STEP_LL128 = 4 * Buffers.ringPass(Protocol.LL128);

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Protocol protocol;
  private final int channels;
  private final double launchNs;
  private final double sums;
  private final Supplier<ChainOrder> chains;

  RingModel(
      MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution, Supplier<ChainOrder> chains) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    protocol = execution.protocol();
    channels = execution.channels();
    this.chains = chains;
    launchNs = machine.host().channelNs(execution.version());
    sums = protocol == Protocol.SIMPLE ? execution.sums() : Double.POSITIVE_INFINITY;
  }

  ChannelTime of(CollectiveOp op, long bytes, boolean inPlace) {
    if (protocol == Protocol.SIMPLE && !op.rooted() || launchNs == 0) {
      return of(op, bytes, inPlace, channels);
    }
    double alone = of(op, bytes, inPlace, 1).transferNs();
    return of(op, bytes, inPlace, Math.min(channels, 1 + alone / launchNs));
  }

  private ChannelTime of(CollectiveOp op, long bytes, boolean inPlace, double sharing) {
    double part = (double) bytes / channels;
    double loop = (double) layout.ranks() * buffers.ringChunk(protocol, false);
    double chunk = op.rooted() ? chainChunk(part) : Math.min(part, loop) / layout.ranks();
    Rates rates = rates(sharing, chunk);
    if (op.rooted()) {
      return chain(part, op.reduces() ? adding(rates) : rates);
    }
    int rounds = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    int all = rounds * (layout.ranks() - 1);
    double own = machine.gpu().localStep(op, protocol, layout.reads(), inPlace);
    boolean addsOwn = op == CollectiveOp.REDUCE_SCATTER && !layout.reads();
    int adding = op.reduces() ? layout.ranks() - (addsOwn ? 2 : 1) : 0;
    Steps steps = new Steps(all, layout.networked() ? layout.crossings(all) : 0, adding,
        addsOwn && sums < Double.POSITIVE_INFINITY ? 1 / ByteSums.rate(1 / own, sums) : own);
    double full = Math.floor(part / loop);
    double rest = part - full * loop;
    Loop whole = full > 0 ? loop(loop / layout.ranks(), steps, rates, true) : Loop.NONE;
    Loop end = rest > 0 ? loop(rest / layout.ranks(), steps, rates, false) : whole;
    double before = full > 0 && rest == 0 ? full - 1 : full;
    double arrival = steps.network() > 0 ? networkNs(chunk) : 0;
    return new ChannelTime(
        startNs() + spreadNs(steps.all() * part / layout.ranks(), rates)
            + before * Math.max(whole.waiting(), whole.busy()) + Math.max(end.ending(), end.busy() + arrival),
        rates,
        steps.all() * part / layout.ranks(),
        before * whole.waiting() + end.ending() > before * whole.busy() + end.busy(), machine.connectionRate(layout));
  }

  /**
   * The steps of a loop: all steps, those to another node, those that add, and the time of the step within memory,
   * nanoseconds per byte of a chunk.
   */
  private record Steps(int all, int network, int adding, double own) {}

  /**
   * The limits of a loop's time, nanoseconds.
   *
   * @param chain time of all steps of one slice
   * @param meeting additional time of the first slices, which all channels send at once
   * @param busy time of the busiest resource
   * @param windows number of windows of a connection to another node
   * @param windowNs time until a window has room again
   */
  private record Loop(double chain, double meeting, double busy, double windows, double windowNs) {
    static final Loop NONE = new Loop(0, 0, 0, 0, 0);

    /** The time of a loop that others follow. */
    double waiting() {
      return Math.max(chain, windows * windowNs);
    }

    /** The time of the last loop, until all data have arrived. */
    double ending() {
      return Math.max(chain + meeting, Math.ceil(windows) * windowNs);
    }
  }

  // The rates with a number of channels that share the port, and a size of chunks.
  private Rates rates(double sharing, double chunk) {
    double wire = Buffers.wirePerData(protocol);
    double port = machine.gpu().port().bytesPerNano() * layout.portGain() / sharing / wire;
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.connectionRate(net.nodeRate() / channels) / wire).orElse(Double.POSITIVE_INFINITY);
    return new Rates(copy(port, chunk), port, network, wire);
  }

  private double copy(double port, double chunk) {
    GpuTiming gpu = machine.gpu();
    return switch (protocol) {
      case SIMPLE -> gpu.copy().bytesPerNano();
      case LL -> gpu.ll().rate().bytesPerNano();
      case LL128 -> layout.networked() ? Math.min(gpu.ll128Rate(), port) : driftingRate(gpu.ll128Rate(), port, chunk);
    };
  }

  private static double driftingRate(double block, double port, double chunk) {
    double inStep = Math.min(chunk, IN_STEP_LL128);
    double serial = Rates.serial(block, port);
    return chunk > 0 ? chunk / (inStep / serial + (chunk - inStep) / Math.min(block, port)) : serial;
  }

  // The time by which the last channel ends after the mean of all. Only Simple was compared with measured times.
  private double spreadNs(double data, Rates rates) {
    return protocol == Protocol.SIMPLE ? PortSpread.ns(channels, data, rates.times(data)) : 0;
  }

  private double startNs() {
    return machine.gpu().startNs(protocol, false);
  }

  private double hopNs() {
    return machine.gpu().hopNs(protocol, false);
  }

  // The time of a loop. A slice passes a thread block, a proxy and a NIC, each of which works on the next slice while
  // the others work on this one.
  private Loop loop(double chunk, Steps steps, Rates rates, boolean full) {
    double first = protocol == Protocol.SIMPLE ? Math.max(chunk / 2, Math.min(chunk, Buffers.LEAST_SLICE)) : chunk;
    double second = chunk - first;
    double block = blockNs(first, rates, full);
    double wire = wireNs(first, rates);
    double next = second > 0 ? blockNs(second, rates, full) : 0;
    double nextWire = second > 0 ? wireNs(second, rates) : 0;
    double alone = aloneNs(first, rates);
    Rates adding = adding(rates);
    double longer = 1 / adding.copy() - 1 / rates.copy();
    double sum = block + first * longer;
    double nextSum = next + second * longer;
    double chain = steps.all() * (hopNs() + block)
        + steps.network() * (networkNs(first) + alone) + Math.max(next, nextWire)
        + steps.adding() * (sum - block);
    double passing = (steps.all() - steps.adding()) * (Math.max(block, wire) + Math.max(next, nextWire))
        + steps.adding() * (Math.max(sum, wire) + Math.max(nextSum, nextWire));
    double flags = steps.own() > 0 ? (second > 0 ? 2 : 1) * flagNs() : 0;
    double busy = Math.max(passing, steps.all() * (block + next) + steps.adding() * (sum - block + nextSum - next)
        + flags + steps.own() * chunk);
    int held = Hops.window(machine, layout, Buffers.window(Algorithm.RING, protocol, false));
    double windows = held > 0 ? steps.all() * (second > 0 ? 2.0 : 1) / held : 0;
    return new Loop(chain, wire - alone, busy, windows, roomNs(first, wire, block));
  }

  private double roomNs(double slice, double wire, double block) {
    return Hops.roomNs(hopNs() + networkNs(slice) + wire, block, layout);
  }

  // The latency of a slice to another node, which its receiver may have to read.
  private double networkNs(double slice) {
    return Hops.networkNs(machine, layout, protocol, slice)
        + Hops.readNs(machine, layout, protocol, slice, channels);
  }

  // The rates of a step that adds.
  private Rates adding(Rates rates) {
    return new Rates(ByteSums.rate(rates.copy(), sums), rates.port(), rates.network(), rates.wirePerData());
  }

  // The work of a thread block on a slice. In a short loop all channels wait for flags at the same time; over full
  // loops they drift apart and use the port in turn.
  private double blockNs(double slice, Rates rates, boolean full) {
    double flag = flagNs();
    return full ? Math.max(flag + slice / rates.copy(), slice / rates.port()) : flag + slice / rates.local();
  }

  private double flagNs() {
    return protocol == Protocol.SIMPLE ? machine.gpu().slice().nanos() : 0;
  }

  private double wireNs(double slice, Rates rates) {
    double told = Hops.arrivalNs(machine, layout, protocol, slice) + slice / rates.network();
    return Math.max(Hops.messageNs(machine, layout, protocol, channels, slice, channels), told);
  }

  // The transfer of a slice at the whole rate of its NIC. All channels send their first slices at once; from then on
  // they send at different times, so that a slice on the critical path finds the NIC free unless the NIC itself is the
  // busiest resource. The rate of a queue pair, which holds in the long run, does not delay a message by itself.
  private double aloneNs(double slice, Rates rates) {
    double rate = machine.network().filter(any -> layout.networked())
        .map(net -> net.nodeRate() / Math.min(channels, net.nicCount()) / rates.wirePerData())
        .orElse(Double.POSITIVE_INFINITY);
    double told = Hops.arrivalNs(machine, layout, protocol, slice) + slice / rate;
    return Math.max(Hops.messageNs(machine, layout, protocol, 1, slice, channels), told);
  }

  private double chainChunk(double part) {
    return Math.min(part, buffers.ringChunk(protocol, true));
  }

  // The time of a chain. Calls overlap except for the last chunk, which the next rank copies before both begin the next
  // call, as tables of A100 show for several collectives, machines and sizes. When the order of ranks differs between
  // channels, ranks wait longer. To another node a chunk goes when its sender is done with it; a receiver with the LL
  // protocols polls its lines while they arrive, and only the last pass of its threads follows.
  private ChannelTime chain(double part, Rates rates) {
    double chunk = chainChunk(part);
    double chunks = part > 0 ? Math.ceil(part / chunk) : 1;
    boolean simple = protocol == Protocol.SIMPLE;
    double flag = flagNs();
    double block = chunks * flag + part / rates.copy();
    double wire = wireNs(chunk, rates);
    double most = Math.max(Math.max(block, chunks * wire), part / rates.port());
    int held = Hops.window(machine, layout, Buffers.window(Algorithm.RING, protocol, true));
    double busy = most / chunks + Hops.followNs(chunks - 1, most / chunks, held, roomNs(chunk, wire, block / chunks));
    double last = simple ? flag + (part - (chunks - 1) * chunk) / rates.copy() : 0;
    double hop = hopNs() + flag + Math.min(chunk, Buffers.ringPass(protocol)) / rates.copy();
    double network = hop + networkNs(chunk) + aloneNs(chunk, rates);
    double nanos = Math.max(hopNs() + last + busy, chains.get().intervalNs(channels, busy, hop, network));
    return new ChannelTime(nanos, rates, part, nanos > 2 * busy, machine.connectionRate(layout));
  }
}
