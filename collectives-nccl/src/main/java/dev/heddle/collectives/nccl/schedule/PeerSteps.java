package dev.heddle.collectives.nccl.schedule;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is made of sends and receives: all_to_all, all_to_all_v, gather, scatter, send_recv. Peers come round by round; as many as a
 * channel serves at the same time run side by side, and the next wait until these have done.
 */
public final class PeerSteps {
  private final Peers peers;
  private final Layout layout;
  private final int rank;
  private final RankSteps.Builder steps;
  private final Map<Integer, Channel> channels = new TreeMap<>();

  /** The exchanges of one channel: those before, whose ends the present ones wait for, and the present ones. */
  private static final class Channel {
    private List<Integer> before = List.of();
    private List<Integer> present = new ArrayList<>();
    private int rounds;
  }

  private PeerSteps(Peers peers, Layout layout, int rank) {
    this.peers = peers;
    this.layout = layout;
    this.rank = rank;
    steps = new RankSteps.Builder(layout, rank);
  }

  /**
   * Schedules a collective of at least two ranks.
   *
   * @param collective an all_to_all, all_to_all_v, gather, scatter or send_recv
   */
  public static Schedule schedule(Peers peers, Collective collective) {
    Layout layout = Layout.of(collective, peers.parts());
    return Schedule.planned("P2P", layout, rank -> new PeerSteps(peers, layout, rank).steps());
  }

  private RankSteps steps() {
    copyOwn();
    for (int round = 0; round < peers.rounds(); round++) {
      int target = peers.target(rank, round);
      int source = peers.source(rank, round);
      for (int part = 0; part < peers.parts(); part++) {
        boolean sends = sends(layout.collective(), rank, target);
        boolean receives = sends(layout.collective(), source, rank);
        if (sends || receives) {
          exchange(peers.channel(round, part), part, sends ? target : RankSteps.NONE,
              receives ? source : RankSteps.NONE);
        }
      }
    }
    return steps.build();
  }

  /** Whether a rank has something for another in a collective that is made of sends and receives. */
  public static boolean sends(Collective collective, int from, int to) {
    return from != to && switch (collective.op()) {
      case GATHER -> to == collective.root();
      case SCATTER -> from == collective.root();
      case SEND_RECV -> to == (from + 1) % collective.ranks();
      default -> true;
    };
  }

  private static boolean toAll(CollectiveOp op) {
    return op == CollectiveOp.ALL_TO_ALL || op == CollectiveOp.ALL_TO_ALL_V;
  }

  private void copyOwn() {
    CollectiveOp op = layout.collective().op();
    boolean root = rank == layout.collective().root();
    if (toAll(op) || root && (op == CollectiveOp.GATHER || op == CollectiveOp.SCATTER)) {
      for (int part = 0; part < peers.parts(); part++) {
        steps.copy(
            steps.threadBlock(peers.channel(0, part), RankSteps.NONE, RankSteps.NONE), input(source(rank) + part, 1),
            output(target(rank) + part, 1));
      }
    }
  }

  // The first chunk of what goes to a peer, and of what comes from one.
  private int source(int peer) {
    CollectiveOp op = layout.collective().op();
    return toAll(op) || op == CollectiveOp.SCATTER ? peer * peers.parts() : 0;
  }

  private int target(int peer) {
    CollectiveOp op = layout.collective().op();
    return toAll(op) || op == CollectiveOp.GATHER ? peer * peers.parts() : 0;
  }

  private void exchange(int number, int part, int target, int source) {
    Channel channel = channels.computeIfAbsent(number, absent -> new Channel());
    if (channel.rounds == peers.abreast()) {
      channel.before = channel.present;
      channel.present = new ArrayList<>();
      channel.rounds = 0;
    }
    channel.rounds++;
    if (target != RankSteps.NONE) {
      int block = steps.threadBlock(number, target, RankSteps.NONE);
      channel.present.add(wait(steps.send(block, input(source(target) + part, 1)), channel));
    }
    if (source != RankSteps.NONE) {
      int block = steps.threadBlock(number, RankSteps.NONE, source);
      channel.present.add(wait(steps.receive(block, output(target(source) + part, 1)), channel));
    }
  }

  private int wait(int step, Channel channel) {
    channel.before.forEach(other -> steps.after(step, other));
    return step;
  }
}
