package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.Course.Rates;

/**
 * Send and receive, and what NCCL builds of them: every rank sends each of its messages over some channels, and messages
 * of different peers run on different channels as far as there are. Up to eight messages to one node share one set. Where
 * one rank sends to all, as in scatter, what goes to another rail leaves by the port of the neighbour that has it.
 */
final class PairCourse {
  private static final int SHARING = 8;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final PairChannels channels;

  PairCourse(MachineTiming machine, RankLayout layout, PairChannels channels) {
    this.machine = machine;
    this.layout = layout;
    this.channels = channels;
  }

  /** The messages that a rank sends: to others of its node, to others, and the block of its own that it copies. */
  private record Messages(int local, int remote, boolean own, double bytes) {}

  /** One message of every rank, to a rank of its node or of another. */
  Course exchange(long bytes, boolean remote) {
    return of(CollectiveOp.SEND_RECV, new Messages(remote ? 0 : 1, remote ? 1 : 0, false, bytes));
  }

  Course of(CollectiveOp op, long bytes, boolean inPlace) {
    return of(op, messages(op, bytes, inPlace));
  }

  private Course of(CollectiveOp op, Messages messages) {
    Course local = local(op, messages);
    if (messages.remote() == 0) {
      return local;
    }
    Rates out = remoteRates(messages.remote());
    double wait = remoteStartNs();
    double remoteNs = messages.remote() * messages.bytes() / out.least();
    return wait + remoteNs >= local.nanos()
        ? new Course(wait + remoteNs, out, messages.remote() * messages.bytes(), wait > remoteNs)
        : local;
  }

  private Messages messages(CollectiveOp op, long bytes, boolean inPlace) {
    boolean apart = !inPlace && channels.apart();
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

  // A rank's own block is copied within memory, by all threads of a message's thread blocks, and is none for the port. No
  // message is faster than its own channels. What a neighbour passes on goes to a buffer of its connection, as over a network.
  private Course local(CollectiveOp op, Messages messages) {
    GpuTiming gpu = machine.gpu();
    double relayed = messages.remote() * (channels.rails() - 1.0) / channels.rails();
    double wait = relayed > 0 ? remoteStartNs() : gpu.pairs().localStart(channels.lines()).nanos();
    double sent = messages.local() + relayed;
    double copied = sent + (messages.own() ? gpu.ownCopy() : 0);
    double copy = (channels.lines() ? gpu.pairs().lineCopy() : gpu.pairs().copy()).bytesPerNano();
    int used = Math.min(channels.all(), channels.message() * (op == CollectiveOp.SEND_RECV ? 1 : layout.ranks()));
    double port = sent > 0 ? gpu.pairs().port().bytesPerNano() * copied / sent : Double.POSITIVE_INFINITY;
    Rates rates =
        new Rates(Math.min(used, copied * channels.message()) * copy, port, Double.POSITIVE_INFINITY, 1);
    double data = copied * messages.bytes();
    double busy = data > 0 ? data / rates.least() : 0;
    return new Course(copied > 0 ? wait + busy : 0, rates, data, wait > busy);
  }

  private double remoteStartNs() {
    return machine.gpu().pairs().start().nanos() + Hops.networkNs(machine, Protocol.SIMPLE);
  }

  private Rates remoteRates(int messages) {
    int sets = (messages + SHARING - 1) / SHARING;
    int used = Math.min(channels.all(), channels.message() * sets);
    double share = machine.network().map(net -> channels.rails() * net.node().bytesPerNano() / layout.perNode())
        .orElse(Double.POSITIVE_INFINITY);
    PairTiming pairs = machine.gpu().pairs();
    double copy = Math.min(
        pairs.copy().bytesPerNano(), Math.min(messages, SHARING) * pairs.remoteCopy().bytesPerNano());
    return new Rates(used * copy, Double.POSITIVE_INFINITY, share, 1);
  }
}
