package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.Course.Rates;

/**
 * A ring. A channel goes over its part of the data in loops; in each, every rank's chunk takes {@code 2 (n - 1)} steps
 * of all_reduce, or {@code n - 1} of all_gather and reduce_scatter. With Simple a chunk is two slices, and a step is as
 * long as a rank's work on them or as one slice's way to the next rank, whichever is longer; with LL and LL128 a step's
 * data follow the last step's. Broadcast and reduce are chains whose calls overlap: only the busiest rank counts. Their
 * chunks are one slice each, so that a chunk's flag is waited for as in a tree, with no other slice to work on meanwhile.
 *
 * <p>Channels start one after the other: with lines, those that have not started yet or have ended already leave the port
 * to the others.
 */
final class RingCourse {
  private static final double LEAST_SLICE = 32 << 10;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Protocol protocol;
  private final int channels;

  RingCourse(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    protocol = execution.protocol();
    channels = execution.channels();
  }

  Course of(CollectiveOp op, long bytes, boolean inPlace) {
    double start = machine.host().channel().nanos();
    if (protocol == Protocol.SIMPLE || start == 0) {
      return of(op, bytes, inPlace, channels);
    }
    double alone = of(op, bytes, inPlace, 1).nanos();
    return of(op, bytes, inPlace, Math.min(channels, 1 + alone / start));
  }

  private Course of(CollectiveOp op, long bytes, boolean inPlace, double sharing) {
    double part = (double) bytes / channels;
    Rates rates = rates(sharing);
    if (op.rooted()) {
      return chain(part, rates);
    }
    int rounds = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
    double own = op == CollectiveOp.ALL_REDUCE || inPlace ? 0 : machine.gpu().ownCopy();
    boolean keeps = op != CollectiveOp.REDUCE_SCATTER && protocol == Protocol.SIMPLE && layout.direct();
    own -= keeps ? machine.gpu().ownCopy() : 0;
    Steps steps = new Steps(rounds * (layout.ranks() - 1), rounds * (layout.nodes() - 1), own);
    double loop = (double) layout.ranks() * buffers.ringChunk(protocol, false);
    double full = Math.floor(part / loop);
    double[] whole = full > 0 ? loopNs(loop / layout.ranks(), steps, rates) : new double[2];
    double rest = part - full * loop;
    double[] last = rest > 0 ? loopNs(rest / layout.ranks(), steps, rates) : new double[2];
    double critical = full * whole[0] + last[0];
    double busy = full * whole[1] + last[1];
    double nanos = full * Math.max(whole[0], whole[1]) + Math.max(last[0], last[1]);
    return new Course(nanos, rates, steps.all() * part / layout.ranks(), critical > busy);
  }

  /** The steps of a loop: all, those to another node, and how many more copying within memory is worth. */
  private record Steps(int all, int network, double own) {}

  // With so many channels sharing the port at a time.
  private Rates rates(double sharing) {
    GpuTiming gpu = machine.gpu();
    double wire = Buffers.wirePerData(protocol);
    double port = gpu.port().bytesPerNano() * layout.portGain() / sharing / wire;
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.node().bytesPerNano() / channels / wire).orElse(Double.POSITIVE_INFINITY);
    double copy = switch (protocol) {
      case SIMPLE -> gpu.simple().ringCopy().bytesPerNano();
      case LL -> Rates.serial(gpu.ll().ringRate().bytesPerNano(), port);
      case LL128 -> Rates.serial(gpu.ll128().ringRate().bytesPerNano(), port);
    };
    return new Rates(copy, port, network, wire);
  }

  private double hopNs() {
    GpuTiming gpu = machine.gpu();
    return switch (protocol) {
      case SIMPLE -> gpu.simple().ringHop().nanos();
      case LL -> gpu.ll().ringHop().nanos();
      case LL128 -> gpu.ll128().ringHop().nanos();
    };
  }

  /** The nanoseconds of a loop: by the chain of steps that one slice takes, and by a rank's work. */
  private double[] loopNs(double chunk, Steps steps, Rates rates) {
    boolean simple = protocol == Protocol.SIMPLE;
    int slices = simple && chunk > LEAST_SLICE ? 2 : 1;
    double slice = simple ? machine.gpu().simple().slice().nanos() : 0;
    double local = slice + chunk / slices / rates.local();
    double remote = slice + chunk / slices / rates.least() + Hops.messageNs(machine, layout, channels);
    double critical = (steps.all() - steps.network()) * (hopNs() + local)
        + steps.network() * (hopNs() + Hops.networkNs(machine, protocol, chunk / slices) + remote) + (slices - 1) * remote;
    return new double[] {critical, (steps.all() + steps.own()) * slices * remote};
  }

  private Course chain(double part, Rates rates) {
    double chunks = Math.max(1, Math.ceil(part / buffers.ringChunk(protocol, true)));
    SimpleTiming simple = machine.gpu().simple();
    double chunk = protocol == Protocol.SIMPLE ? simple.slice().nanos() + simple.treeHop().nanos() : 0;
    double wait = chunks * chunk + hopNs();
    return new Course(wait + part / rates.least(), rates, part, wait > part / rates.least());
  }
}
