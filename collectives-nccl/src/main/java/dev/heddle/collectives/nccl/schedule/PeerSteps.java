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
 * Collectives that consist of sends and receives: all_to_all, all_to_all_v, gather, scatter, send_recv. Rounds run in
 * order; a channel serves a fixed number of peers concurrently, and later rounds wait until these have finished. A
 * neighbour relays a message piece by piece through its scratch memory, on channels of the sender's place, so that the
 * neighbour's own exchanges do not wait for it and its NIC sends without its threads. The concurrent sends of a rank on
 * one channel share a copy engine, and so do its receives. If a relay would exceed the limits on channels and thread
 * blocks, messages go directly.
 */
public final class PeerSteps {
  // Largest number of channels of an execution; a rank may have twice as many thread blocks.
  private static final int MOST_CHANNELS = 1022;

  private final Peers peers;
  private final Layout layout;
  private final int pieces;
  private final boolean mayRelay;
  private final int rank;
  private final RankStepsBuilder steps;
  private final Map<Integer, Channel> channels = new TreeMap<>();
  // Thread blocks of relayed messages, by channel, target and source.
  private final Map<List<Integer>, Integer> relays = new LinkedHashMap<>();

  /** The exchanges of one channel: the current ones, and the ones before, for whose ends the current ones wait. */
  private static final class Channel {
    private List<Integer> previous = List.of();
    private List<Integer> current = new ArrayList<>();
    private int rounds;
  }

  private PeerSteps(Peers peers, Layout layout, int rank) {
    this.peers = peers;
    this.layout = layout;
    pieces = layout.chunksPerBlock() / peers.parts();
    mayRelay = mayRelay(peers, layout.ranks());
    this.rank = rank;
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules a collective of at least two ranks.
   *
   * @param collective an all_to_all, all_to_all_v, gather, scatter or send_recv
   * @param pieces of each part of a message that is relayed, at least 1
   */
  public static Schedule schedule(Peers peers, Collective collective, int pieces) {
    boolean relays = relays(peers, collective);
    Layout plain = Layout.of(collective, Math.multiplyExact(peers.parts(), relays ? pieces : 1));
    Layout layout = relays ? plain.withScratchOfRanks(rank -> scratch(peers, plain, rank)) : plain;
    return Schedule.planned("P2P", layout, rank -> new PeerSteps(peers, layout, rank).steps());
  }

  private static boolean relays(Peers peers, Collective collective) {
    return mayRelay(peers, collective.ranks()) && IntStream.range(0, collective.ranks())
        .anyMatch(rank -> IntStream.range(0, peers.rounds())
            .map(round -> peers.target(rank, round))
            .anyMatch(target -> sends(collective, rank, target) && peers.relay(rank, target) != rank));
  }

  // Whether relays stay within the limits: a set of channels for each place, and on each rank the thread blocks to and
  // from all ranks and those of the relays.
  private static boolean mayRelay(Peers peers, int ranks) {
    int channels = peers.channels() * (1 + peers.localRanks());
    long blocks = 3L * ranks * peers.parts() + (long) peers.localRanks() * peers.channels();
    return channels <= MOST_CHANNELS && blocks <= 2 * MOST_CHANNELS;
  }

  private int relay(int from, int to) {
    return mayRelay ? peers.relay(from, to) : from;
  }

  // The sizes of the scratch slots of a rank: for each neighbour and target the pieces that the rank relays.
  private static long[] scratch(Peers peers, Layout plain, int rank) {
    int chunks = plain.chunksPerBlock();
    int each = plain.ranks() * chunks;
    int[] neighbours = peers.neighbours(rank);
    long[] slots = new long[neighbours.length * each];
    for (int place = 0; place < neighbours.length; place++) {
      for (int round = 0; round < peers.rounds() && neighbours[place] != rank; round++) {
        int target = peers.target(neighbours[place], round);
        if (isRelayed(peers, plain.collective(), rank, neighbours[place], target)) {
          int first = source(plain.collective().op(), target, chunks);
          for (int chunk = 0; chunk < chunks; chunk++) {
            slots[place * each + target * chunks + chunk] = plain.bytes(neighbours[place], input(first + chunk, 1));
          }
        }
      }
    }
    return slots;
  }

  private static boolean isRelayed(Peers peers, Collective collective, int rank, int sender, int target) {
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
      if (mayRelay && neighbours[place] != rank) {
        relayMessages(neighbours[place], place);
      }
    }
    return steps.build();
  }

  private void relayMessages(int sender, int place) {
    for (int round = 0; round < peers.rounds(); round++) {
      int target = peers.target(sender, round);
      if (isRelayed(peers, layout.collective(), rank, sender, target)) {
        int first = (place * layout.ranks() + target) * layout.chunksPerBlock();
        for (int chunk = 0; chunk < layout.chunksPerBlock(); chunk++) {
          int number = relayChannel(peers.channel(round, chunk / pieces), place);
          ChunkRange held = ChunkRange.scratch(first + chunk, 1);
          int received = steps.memoryAccess(steps.receive(relayBlock(number, RankSteps.NONE, sender), held), 0, 0);
          int sent = steps.access(steps.send(relayBlock(number, target, RankSteps.NONE), held), MemoryAccess.COPY);
          steps.after(steps.asynchronous(sent), received);
        }
      }
    }
  }

  // The channel of relayed messages that corresponds to a channel, for senders at a place of the node.
  private int relayChannel(int channel, int place) {
    return peers.channels() * (1 + place) + channel;
  }

  private int relayBlock(int channel, int to, int from) {
    return relays.computeIfAbsent(List.of(channel, to, from), absent -> steps.threadBlock(channel, to, from));
  }

  private int place(int of) {
    return Ints.indexOf(peers.neighbours(of), of);
  }

  /** Whether a rank sends data to another in a collective that consists of sends and receives. */
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

  // The first chunk of the message to a peer, in the input buffer.
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
      channel.previous = channel.current;
      channel.current = new ArrayList<>();
      channel.rounds = 0;
    }
    channel.rounds++;
    if (target != RankSteps.NONE) {
      int relay = relay(rank, target);
      int first = source(target) + part * pieces;
      if (relay == rank) {
        int block = sending(steps.threadBlock(number, target, RankSteps.NONE), number);
        channel.current.add(wait(steps.send(block, input(first, pieces)), channel));
      } else {
        int block = sending(relayBlock(relayChannel(number, place(rank)), relay, RankSteps.NONE), number);
        inPieces(channel, piece -> steps.send(block, input(first + piece, 1)));
      }
    }
    if (source != RankSteps.NONE) {
      int relay = relay(source, rank);
      int first = target(source) + part * pieces;
      if (relay == source) {
        int block = receiving(steps.threadBlock(number, RankSteps.NONE, source), number);
        channel.current.add(wait(steps.receive(block, output(first, pieces)), channel));
      } else {
        int block =
            receiving(steps.threadBlock(relayChannel(number, place(source)), RankSteps.NONE, relay), number);
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

  // Adds the steps of a message piece by piece: the first waits for earlier exchanges, later exchanges wait for the
  // last.
  private void inPieces(Channel channel, IntUnaryOperator step) {
    int last = wait(step.applyAsInt(0), channel);
    for (int piece = 1; piece < pieces; piece++) {
      last = step.applyAsInt(piece);
    }
    channel.current.add(last);
  }

  private int wait(int step, Channel channel) {
    channel.previous.forEach(other -> steps.after(step, other));
    return step;
  }
}
