package dev.heddle.engine;

import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.StepKind;
import dev.heddle.collective.TransportModel;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/**
 * One rank's steps of a schedule as a program: a stream per thread block. A step goes slice by slice: receive, wait for
 * room in the connection, work, send, keep the connection's pace, make room. Thread blocks wait for each other by
 * signals: each raises its own when a step is done.
 */
final class ScheduleProgram implements Program {
  private static final int START = 0;
  private static final int DEPEND = 1;
  private static final int RECEIVE = 2;
  private static final int ROOM = 3;
  private static final int WORK = 4;
  private static final int SEND = 5;
  private static final int PACE = 6;
  private static final int READ = 7;
  private static final int WRITE = 8;
  private static final int TOUCHED = 9;
  private static final int FREE = 10;

  // A message is divided at multiples of so many bytes.
  private static final long PART_ALIGNMENT = 128;

  private final RankSteps steps;
  private final Layout layout;
  private final TransportModel protocol;
  private final Peers peers;
  private final int tag;

  // Per thread block: its position, and the messages that it sends and receives in all and so far.
  private final int[] step;
  private final int[] phase;
  private final int[] dependency;
  private final long[] slice;
  private final int[] touching;
  private final boolean[] sendsApart;
  private final boolean[] receivesApart;
  // Messages of the present slice that have been sent or received, where it has several.
  private final int[] part;
  private final long[] toSend;
  private final long[] toReceive;
  private final long[] sent;
  private final long[] received;

  /** The other members of the group. */
  interface Peers {
    /** The run's rank of a member. */
    int rank(int member);

    /** Whether a member lies in another node. */
    boolean apart(int member);

    /** Whether the network between nodes is the only one: the whole cluster is one tier. */
    boolean isOneNode();

    /** The run's rank whose steps these are. */
    int self();

    /** Whether its memory is part of the fabric. */
    boolean hasMemory();
  }

  /**
   * The program of a rank's steps.
   *
   * @param tag first of the connection's tags: two per channel
   */
  ScheduleProgram(RankSteps steps, Layout layout, TransportModel protocol, Peers peers, int tag) {
    this.steps = steps;
    this.layout = layout;
    this.protocol = protocol;
    this.peers = peers;
    this.tag = tag;
    int blocks = steps.threadBlocks();
    step = new int[blocks];
    phase = new int[blocks];
    dependency = new int[blocks];
    slice = new long[blocks];
    touching = new int[blocks];
    sendsApart = new boolean[blocks];
    receivesApart = new boolean[blocks];
    part = new int[blocks];
    toSend = new long[blocks];
    toReceive = new long[blocks];
    sent = new long[blocks];
    received = new long[blocks];
    for (int block = 0; block < blocks; block++) {
      step[block] = steps.firstStep(block);
      int peer = steps.sendPeer(block);
      sendsApart[block] = peer != RankSteps.NONE && peers.apart(peer);
      int from = steps.receivePeer(block);
      receivesApart[block] = from != RankSteps.NONE && peers.apart(from);
      for (int at = steps.firstStep(block); at < steps.endStep(block); at++) {
        long slices = protocol.slices(steps.bytes(at, layout));
        toSend[block] += steps.kind(at).sends() ? slices : 0;
        toReceive[block] += steps.kind(at).receives() ? slices : 0;
      }
    }
  }

  @Override
  public int streams() {
    return step.length;
  }

  @Override
  public boolean next(int block, Operation operation) {
    while (true) {
      int now = phase[block];
      phase[block] = now + 1;
      if (now == START) {
        if (protocol.costs().startPs() > 0) {
          operation.compute(protocol.costs().startPs());
          return true;
        }
      } else if (step[block] == steps.endStep(block)) {
        phase[block] = now;
        return false;
      } else if (step(block, now, operation)) {
        return true;
      }
    }
  }

  // Whether the phase of a step needs an operation.
  private boolean step(int block, int now, Operation operation) {
    int at = step[block];
    StepKind kind = steps.kind(at);
    switch (now) {
      case DEPEND :
        return depend(block, at, operation);
      case RECEIVE :
        if (kind.receives()) {
          operation.receive(peers.rank(steps.receivePeer(block)), dataTag(block));
          again(block, messages(block, at, receivesApart[block]), RECEIVE);
        }
        return kind.receives();
      case ROOM :
        boolean full = kind.sends() && sent[block] >= window(sendsApart[block]);
        if (full) {
          operation.receive(peers.rank(steps.sendPeer(block)), dataTag(block) + 1);
        }
        return full;
      case WORK :
        long workPs = pieceWorkPs(block, at, kind);
        if (workPs > 0) {
          operation.compute(workPs, steps.copyEngine(block));
        }
        return workPs > 0;
      case SEND :
        if (kind.sends()) {
          send(block, at, operation);
        }
        return kind.sends();
      case PACE :
        long restPs = kind.sends() ? restPs(block, at, kind) : 0;
        if (restPs > 0) {
          operation.compute(restPs);
        }
        return restPs > 0;
      case READ :
        return touch(block, at, steps.reads(at), MemoryAccess.OPERAND, operation);
      case WRITE :
        return touch(block, at, steps.writes(at), MemoryAccess.DUPLICATE, operation);
      case TOUCHED :
        return touched(block, at, operation);
      case FREE :
        return kind.receives() && free(block, operation);
      default :
        return done(block, at, operation);
    }
  }

  private void send(int block, int at, Operation operation) {
    boolean apart = sendsApart[block];
    boolean signal = peers.hasMemory() && steps.access(at) == MemoryAccess.NONE;
    long bytes = signal ? 0 : protocol.wireBytes(sliceBytes(block, at));
    int parts = apart ? protocol.connections().parts() : protocol.pieces(sliceBytes(block, at));
    long each = parts == 1 ? bytes : (bytes + parts * PART_ALIGNMENT - 1) / (parts * PART_ALIGNMENT) * PART_ALIGNMENT;
    long message = Math.min(each, Math.max(0, bytes - part[block] * each));
    operation.send(
        peers.rank(steps.sendPeer(block)),
        apart ? protocol.connections().headers().wireBytes(message) : message, dataTag(block),
        peers.hasMemory() ? steps.access(at).trafficClass() : 0);
    if (apart) {
      boolean labelled = protocol.connections().paths() > 0 && (!adaptive(bytes) || part[block] == parts);
      operation.onNetwork(
          protocol.connections().dataClass(), route(block, labelled, parts == 1 ? sent[block] : part[block]));
    } else if (peers.isOneNode()) {
      operation.onNetwork(protocol.connections().dataClass(), 0);
    }
    long hopPs = apart ? protocol.costs().networkHopPs() : protocol.costs().hopPs();
    operation.sendAfter(
        steps.isAsynchronous(at) ? hopPs + protocol.costs().slicePs() : hopPs,
        apart && part[block] == 0 ? protocol.costs().proxyPs() : 0);
    if (apart && !again(block, messages(block, at, true), SEND)) {
      sent[block]++;
    }
  }

  // The time until the next piece, or from the last piece of a slice to the next slice. Data to another node have one
  // pace for a slice.
  private long restPs(int block, int at, StepKind kind) {
    long pacePs = protocol.costs().pacePs(sliceBytes(block, at), sendsApart[block]);
    if (sendsApart[block]) {
      return pacePs - workPs(block, at, kind);
    }
    int pieces = messages(block, at, false);
    long restPs = piecePs(pacePs, part[block], pieces) - pieceWorkPs(block, at, kind);
    if (!again(block, pieces, WORK)) {
      sent[block]++;
    }
    return restPs;
  }

  private static long piecePs(long all, int piece, int pieces) {
    return all * (piece + 1) / pieces - all * piece / pieces;
  }

  // Messages on routes of their own may arrive in any order, so that a message without data marks the end.
  private int messages(int block, int at, boolean apart) {
    if (!apart) {
      return protocol.pieces(sliceBytes(block, at));
    }
    return protocol.connections().parts() + (adaptive(protocol.wireBytes(sliceBytes(block, at))) ? 1 : 0);
  }

  private boolean adaptive(long wireBytes) {
    return wireBytes > protocol.connections().adaptiveAbove();
  }

  // The label of a connection's route, the same for every so many messages; for a route of the message's own 0, or any
  // of its rail.
  private int route(int block, boolean labelled, long number) {
    int peer = steps.sendPeer(block);
    int rail = steps.sendRail(block);
    boolean spreads = protocol.connections().headers().spreads();
    long pair = labelled && spreads ? number % protocol.connections().paths() : labelled ? 0 : number;
    if (rail != RankSteps.NONE) {
      long connection = spreads ? (long) (dataTag(block) - tag) << 32 | peer : peer;
      return MessageLabel.onRail(rail, RandomStream.mix(connection) + pair);
    }
    return !labelled ? 0 : spreads ? route(dataTag(block), peer, pair) : MessageLabel.flowLabel(peer);
  }

  /** The label of a connection's route: of its tag, its peer and the number of the route among the connection's. */
  static int route(int dataTag, int peer, long pair) {
    return MessageLabel.flowLabel(RandomStream.mix((long) dataTag << 32 | peer) + pair);
  }

  // Stays in a phase until all messages of the slice are done.
  private boolean again(int block, int messages, int same) {
    part[block]++;
    boolean more = part[block] < messages;
    if (more) {
      phase[block] = same;
    } else {
      part[block] = 0;
    }
    return more;
  }

  // A write moves data; data that are only read are an operand of another step.
  private boolean moves(int at, StepKind kind) {
    if (!steps.hasMemoryAccess(at)) {
      return kind != StepKind.NO_OP;
    }
    int writes = kind.sends() ? steps.access(at).writes() : steps.writes(at);
    return writes > 0 && !steps.isAsynchronous(at);
  }

  private long workPs(int block, int at, StepKind kind) {
    if (!moves(at, kind)) {
      return 0;
    }
    long bytes = sliceBytes(block, at);
    return protocol.costs().movePs(bytes, kind) + (steps.isCoalesced(at) ? 0 : protocol.costs().slicePs());
  }

  // Data within the node leave as they are copied.
  private long pieceWorkPs(int block, int at, StepKind kind) {
    long all = workPs(block, at, kind);
    int pieces = kind.sends() && !sendsApart[block] ? protocol.pieces(sliceBytes(block, at)) : 1;
    return piecePs(all, part[block], pieces);
  }

  private boolean touches(int at) {
    return peers.hasMemory() && steps.hasMemoryAccess(at) && !steps.kind(at).sends();
  }

  // Accesses of a step to its own rank's memory are messages to itself, which cross the memory's bus.
  private boolean touch(int block, int at, int times, MemoryAccess access, Operation operation) {
    if (times == 0 || !touches(at)) {
      return false;
    }
    touching[block]++;
    operation.send(peers.self(), times * sliceBytes(block, at), tag + block, access.trafficClass());
    return true;
  }

  private boolean touched(int block, int at, Operation operation) {
    if (touching[block] == 0) {
      return false;
    }
    touching[block]--;
    phase[block] = TOUCHED;
    operation.receive(peers.self(), tag + block);
    return true;
  }

  private boolean depend(int block, int at, Operation operation) {
    if (dependency[block] == steps.dependencies(at)) {
      dependency[block] = 0;
      return false;
    }
    phase[block] = DEPEND;
    int other = steps.dependency(at, dependency[block]++);
    int owner = steps.threadBlock(other);
    operation.await(owner, other - steps.firstStep(owner) + 1L);
    return true;
  }

  // A sender that will send beyond its window waits for as many messages as it has no room for.
  private boolean free(int block, Operation operation) {
    received[block]++;
    if (received[block] > toReceive[block] - window(receivesApart[block])) {
      return false;
    }
    operation.send(peers.rank(steps.receivePeer(block)), 0, dataTag(block) + 1, 0);
    if (receivesApart[block] || peers.isOneNode()) {
      boolean railed = receivesApart[block] && steps.receiveRail(block) != RankSteps.NONE;
      operation.onNetwork(
          protocol.connections().creditClass(), railed ? MessageLabel.onRail(steps.receiveRail(block), 0) : 0);
    }
    return true;
  }

  // The messages that a connection holds.
  private long window(boolean apart) {
    int window = apart ? protocol.connections().buffers() * protocol.window() : protocol.window();
    return window == 0 ? Long.MAX_VALUE : window;
  }

  private boolean done(int block, int at, Operation operation) {
    slice[block]++;
    boolean moves = steps.kind(at).sends() || steps.kind(at).receives();
    if (moves && slice[block] < protocol.slices(steps.bytes(at, layout))) {
      phase[block] = RECEIVE;
      return false;
    }
    slice[block] = 0;
    step[block]++;
    phase[block] = DEPEND;
    operation.signal(block);
    return true;
  }

  private long sliceBytes(int block, int at) {
    long bytes = steps.bytes(at, layout);
    boolean moves = steps.kind(at).sends() || steps.kind(at).receives();
    return moves ? Math.min(protocol.sliceBytes(), bytes - slice[block] * Math.min(bytes, protocol.sliceBytes()))
        : bytes;
  }

  private int dataTag(int block) {
    return tag + 2 * steps.channel(block);
  }
}
