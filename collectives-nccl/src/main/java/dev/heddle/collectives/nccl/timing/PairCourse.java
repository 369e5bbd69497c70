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

  /** The messages that a rank sends: within its node, with its own block where it copies one, and to others. */
  private record Messages(double local, int remote, double bytes) {}

  /** One message of every rank, to a rank of its node or of another. */
  Course exchange(long bytes, boolean remote) {
    return of(CollectiveOp.SEND_RECV, new Messages(remote ? 0 : 1, remote ? 1 : 0, bytes));
  }

  Course of(CollectiveOp op, long bytes, boolean inPlace) {
    return of(op, messages(op, bytes, inPlace));
  }

  private Course of(CollectiveOp op, Messages messages) {
    double wait = machine.gpu().pairs().start().nanos();
    Rates within = localRates(op);
    double relayed = messages.remote() * (channels.rails() - 1.0) / channels.rails();
    double local = (messages.local() + relayed) * messages.bytes();
    double localNs = local / within.least();
    if (messages.remote() == 0) {
      return new Course(wait + localNs, within, local, wait > localNs);
    }
    Rates out = remoteRates(messages.remote());
    double remoteNs = messages.remote() * messages.bytes() / out.least();
    wait += Hops.networkNs(machine, Protocol.SIMPLE);
    return remoteNs >= localNs
        ? new Course(wait + remoteNs, out, messages.remote() * messages.bytes(), wait > remoteNs)
        : new Course(wait + localNs, within, local, wait > localNs);
  }

  // A rank's own block is a message to itself, which the same channels copy.
  private Messages messages(CollectiveOp op, long bytes, boolean inPlace) {
    int own = inPlace ? 0 : 1;
    int others = layout.perNode() - 1;
    int remote = layout.ranks() - layout.perNode();
    double block = (double) bytes / layout.ranks();
    return switch (op) {
      case SEND_RECV -> layout.perNode() > 1 ? new Messages(1, layout.networked() ? 1 : 0, bytes)
          : new Messages(0, 1, bytes);
      case GATHER, SCATTER, ALL_TO_ALL, ALL_TO_ALL_V -> new Messages(others + own, remote, block);
      default -> throw new IllegalArgumentException(op.key() + " is not built of send and receive");
    };
  }

  private Rates localRates(CollectiveOp op) {
    PairTiming pairs = machine.gpu().pairs();
    int messages = op == CollectiveOp.SEND_RECV ? 1 : layout.ranks();
    int used = Math.min(channels.all(), channels.message() * messages);
    double copy = (channels.lines() ? pairs.lineCopy() : pairs.copy()).bytesPerNano();
    return new Rates(used * copy, pairs.port().bytesPerNano(), Double.POSITIVE_INFINITY, 1);
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
