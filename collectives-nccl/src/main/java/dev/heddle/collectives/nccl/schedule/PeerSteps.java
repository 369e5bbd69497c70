package dev.heddle.collectives.nccl.schedule;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import com.google.common.primitives.Ints;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * What is made of sends and receives: all_to_all, all_to_all_v, gather, scatter, send_recv. Peers come round by round; as
 * many as a channel serves at the same time run side by side, and the next wait until these have done. A message that a
 * neighbour passes on goes piece by piece by its scratch memory, over channels of the sender's place: the neighbour's own
 * peers do not wait for it, and its NIC sends without its threads. What a rank sends over a channel at the same time shares
 * the threads that copy, and so does what it receives. Where there are more places or ranks than channels and thread blocks for that, messages go without.
 */
public final class PeerSteps {
  // What an execution tells apart; of thread blocks of a rank it takes twice as many.
  private static final int MOST_CHANNELS = 1022;

  private final Peers peers;
  private final Layout layout;
  private final int pieces;
  private final boolean mayPassOn;
  private final int rank;
  private final RankStepsBuilder steps;
  private final Map<Integer, Channel> channels = new TreeMap<>();
  // By channel and neighbour: blocks to those that pass on for this rank, and from those for which it passes on.
  private final Map<List<Integer>, Integer> relays = new LinkedHashMap<>();

  /** The exchanges of one channel: those before, whose ends the present ones wait for, and the present ones. */
  private static final class Channel {
    private List<Integer> before = List.of();
    private List<Integer> present = new ArrayList<>();
    private int rounds;
  }

  private PeerSteps(Peers peers, Layout layout, int rank) {
    this.peers = peers;
    this.layout = layout;
    pieces = layout.chunksPerBlock() / peers.parts();
    mayPassOn = mayPassOn(peers, layout.ranks());
    this.rank = rank;
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules a collective of at least two ranks.
   *
   * @param collective an all_to_all, all_to_all_v, gather, scatter or send_recv
   * @param pieces of each part of a message that a neighbour passes on, at least 1
   */
  public static Schedule schedule(Peers peers, Collective collective, int pieces) {
    boolean relays = relays(peers, collective);
    Layout plain = Layout.of(collective, Math.multiplyExact(peers.parts(), relays ? pieces : 1));
    Layout layout = relays ? plain.withScratchOfRanks(rank -> scratch(peers, plain, rank)) : plain;
    return Schedule.planned("P2P", layout, rank -> new PeerSteps(peers, layout, rank).steps());
  }

  private static boolean relays(Peers peers, Collective collective) {
    return mayPassOn(peers, collective.ranks()) && IntStream.range(0, collective.ranks())
        .anyMatch(rank -> IntStream.range(0, peers.rounds())
            .map(round -> peers.target(rank, round))
            .anyMatch(target -> sends(collective, rank, target) && peers.relay(rank, target) != rank));
  }

  // Channels of every place; and a rank's thread blocks: to and from all, and what it passes on.
  private static boolean mayPassOn(Peers peers, int ranks) {
    int channels = peers.channels() * (1 + peers.localRanks());
    long blocks = 3L * ranks * peers.parts() + (long) peers.localRanks() * peers.channels();
    return channels <= MOST_CHANNELS && blocks <= 2 * MOST_CHANNELS;
  }

  private int relay(int from, int to) {
    return mayPassOn ? peers.relay(from, to) : from;
  }

  // For every neighbour and target what a rank passes on, piece by piece.
  private static long[] scratch(Peers peers, Layout plain, int rank) {
    int chunks = plain.chunksPerBlock();
    int each = plain.ranks() * chunks;
    int[] neighbours = peers.neighbours(rank);
    long[] slots = new long[neighbours.length * each];
    for (int place = 0; place < neighbours.length; place++) {
      for (int round = 0; round < peers.rounds() && neighbours[place] != rank; round++) {
        int target = peers.target(neighbours[place], round);
        if (passesOn(peers, plain.collective(), rank, neighbours[place], target)) {
          int first = source(plain.collective().op(), target, chunks);
          for (int chunk = 0; chunk < chunks; chunk++) {
            slots[place * each + target * chunks + chunk] = plain.bytes(neighbours[place], input(first + chunk, 1));
          }
        }
      }
    }
    return slots;
  }

  private static boolean passesOn(Peers peers, Collective collective, int rank, int sender, int target) {
    return sends(collective, sender, target) && peers.relay(sender, target) == rank;
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
    int[] neighbours = peers.neighbours(rank);
    for (int place = 0; place < neighbours.length; place++) {
      if (mayPassOn && neighbours[place] != rank) {
        passOn(neighbours[place], place);
      }
    }
    return steps.build();
  }

  private void passOn(int sender, int place) {
    for (int round = 0; round < peers.rounds(); round++) {
      int target = peers.target(sender, round);
      if (passesOn(peers, layout.collective(), rank, sender, target)) {
        int first = (place * layout.ranks() + target) * layout.chunksPerBlock();
        for (int chunk = 0; chunk < layout.chunksPerBlock(); chunk++) {
          int number = relayed(peers.channel(round, chunk / pieces), place);
          ChunkRange held = ChunkRange.scratch(first + chunk, 1);
          int received = steps.memoryAccess(steps.receive(relayBlock(number, RankSteps.NONE, sender), held), 0, 0);
          int sent = steps.access(steps.send(relayBlock(number, target, RankSteps.NONE), held), MemoryAccess.COPY);
          steps.after(steps.asynchronous(sent), received);
        }
      }
    }
  }

  // The channel that stands for another for messages of the ranks at a place that are passed on.
  private int relayed(int channel, int place) {
    return peers.channels() * (1 + place) + channel;
  }

  private int relayBlock(int channel, int to, int from) {
    return relays.computeIfAbsent(List.of(channel, to, from), absent -> steps.threadBlock(channel, to, from));
  }

  private int place(int of) {
    return Ints.indexOf(peers.neighbours(of), of);
  }

  /** Whether a rank has something for another in a collective that is made of sends and receives. */
  public static boolean sends(Collective collective, int from, int to) {
    return from != to && switch (collective.op()) {
      case GATHER -> to == collective.root();
      case SCATTER -> from == collective.root();
      case SEND_RECV -> to == (from + 1) % collective.ranks();
      case ALL_TO_ALL_V -> collective.pairBytes(from, to) > 0;
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
        int channel = peers.channel(0, part);
        int block = steps.threadBlock(channel, RankSteps.NONE, RankSteps.NONE);
        steps.copy(
            peers.selfCopySeparate() ? block : sending(block, channel),
            input(source(rank) + part * pieces, pieces), output(target(rank) + part * pieces, pieces));
      }
    }
  }

  // The first chunk of what goes to a peer, and of what comes from one.
  private int source(int peer) {
    return source(layout.collective().op(), peer, layout.chunksPerBlock());
  }

  private static int source(CollectiveOp op, int peer, int chunks) {
    return toAll(op) || op == CollectiveOp.SCATTER ? peer * chunks : 0;
  }

  private int target(int peer) {
    CollectiveOp op = layout.collective().op();
    return toAll(op) || op == CollectiveOp.GATHER ? peer * layout.chunksPerBlock() : 0;
  }

  private void exchange(int number, int part, int target, int source) {
    Channel channel = channels.computeIfAbsent(number, absent -> new Channel());
    if (channel.rounds == peers.concurrentPeers()) {
      channel.before = channel.present;
      channel.present = new ArrayList<>();
      channel.rounds = 0;
    }
    channel.rounds++;
    if (target != RankSteps.NONE) {
      int relay = relay(rank, target);
      int first = source(target) + part * pieces;
      if (relay == rank) {
        int block = sending(steps.threadBlock(number, target, RankSteps.NONE), number);
        channel.present.add(wait(steps.send(block, input(first, pieces)), channel));
      } else {
        int block = sending(relayBlock(relayed(number, place(rank)), relay, RankSteps.NONE), number);
        inPieces(channel, piece -> steps.send(block, input(first + piece, 1)));
      }
    }
    if (source != RankSteps.NONE) {
      int relay = relay(source, rank);
      int first = target(source) + part * pieces;
      if (relay == source) {
        int block = receiving(steps.threadBlock(number, RankSteps.NONE, source), number);
        channel.present.add(wait(steps.receive(block, output(first, pieces)), channel));
      } else {
        int block =
            receiving(steps.threadBlock(relayed(number, place(source)), RankSteps.NONE, relay), number);
        inPieces(channel, piece -> steps.receive(block, output(first + piece, 1)));
      }
    }
  }

  private int sending(int threadBlock, int channel) {
    return steps.onCopyEngine(threadBlock, 2 * channel);
  }

  private int receiving(int threadBlock, int channel) {
    return steps.onCopyEngine(threadBlock, 2 * channel + 1);
  }

  // One after the other: the first waits, the last is waited for.
  private void inPieces(Channel channel, IntUnaryOperator step) {
    int last = wait(step.applyAsInt(0), channel);
    for (int piece = 1; piece < pieces; piece++) {
      last = step.applyAsInt(piece);
    }
    channel.present.add(last);
  }

  private int wait(int step, Channel channel) {
    channel.before.forEach(other -> steps.after(step, other));
    return step;
  }
}
