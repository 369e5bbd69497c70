package dev.heddle.collectives.nccl.schedule;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The way of a collective's data through the switches of the network that add. The data go in lines, each through one
 * tree: a line of every channel, or of every head on every channel. Each unit on a line is a participant of its own,
 * numbered after all others of the schedule, line by line.
 */
public final class SharpTrees {
  private final ImmutableList<NetworkTree> trees;
  private final int first;
  private final int firstChannel;
  private final int[] firstOf;

  /**
   * Lays out the lines.
   *
   * @param trees of each line
   * @param first participant
   * @param firstChannel the channel of the first line's connections; the others' follow
   */
  public SharpTrees(List<NetworkTree> trees, int first, int firstChannel) {
    this.trees = ImmutableList.copyOf(trees);
    this.first = first;
    this.firstChannel = firstChannel;
    firstOf = new int[trees.size() + 1];
    Arrays.setAll(firstOf, line -> first + trees.stream().limit(line).mapToInt(NetworkTree::units).sum());
  }

  /** No lines: the network does not add. */
  public static SharpTrees none() {
    return new SharpTrees(List.of(), 0, 0);
  }

  /** Whether there are no lines. */
  boolean isEmpty() {
    return trees.isEmpty();
  }

  /** The number of participants. */
  int participants() {
    return firstOf[trees.size()] - first;
  }

  /** The terminals of the participants. */
  public ImmutableIntArray terminals() {
    return ImmutableIntArray.copyOf(trees.stream()
        .flatMapToInt(tree -> IntStream.range(0, tree.units()).map(tree::terminal)));
  }

  /** Of each participant a rank below it. */
  public ImmutableIntArray hosts() {
    return ImmutableIntArray.copyOf(trees.stream()
        .flatMapToInt(tree -> IntStream.range(0, tree.units()).map(unit -> tree.allRanksBelow(unit)[0])));
  }

  /** The participant that the rank of a node hands a line's data to, and gets them from. */
  public int above(int line, int team) {
    return firstOf[line] + trees.get(line).unitAbove(team);
  }

  /**
   * A connection of a line.
   *
   * @param below the terminal that hands up and gets back
   * @param above the terminal of the unit above it
   * @param ranks that it stands for: those that lie below, or one
   */
  public record Connection(int below, int above, int ranks) {}

  /**
   * The connections of a line.
   *
   * @param terminal of a rank
   */
  public List<Connection> connections(int line, IntUnaryOperator terminal) {
    NetworkTree tree = trees.get(line);
    List<Connection> connections = new ArrayList<>();
    for (int unit = 0; unit < tree.units(); unit++) {
      for (int rank : tree.ranksBelow(unit)) {
        connections.add(new Connection(terminal.applyAsInt(rank), tree.terminal(unit), 1));
      }
      for (int other : tree.unitsBelow(unit)) {
        connections.add(
            new Connection(tree.terminal(other), tree.terminal(unit), tree.allRanksBelow(other).length));
      }
    }
    return connections;
  }

  private int[] below(int line, int unit) {
    return IntStream.concat(
        IntStream.of(trees.get(line).ranksBelow(unit)),
        IntStream.of(trees.get(line).unitsBelow(unit)).map(other -> firstOf[line] + other)).toArray();
  }

  /** The channel of a line's connections. */
  int channel(int line) {
    return firstChannel + line;
  }

  /**
   * What a unit does of an all_reduce: adds what comes from below, hands the sum up, and what comes back down; the root
   * hands its own sum down. Chunks have the numbers of those of the blocks, in scratch.
   *
   * @param layout with twice a block's chunks in scratch: sums as they are, and whole
   */
  RankSteps allReduce(Layout layout, int participant) {
    int line = line(participant);
    NetworkTree tree = trees.get(line);
    int unit = participant - firstOf[line];
    RankStepsBuilder steps = new RankStepsBuilder(layout, participant);
    int[] below = below(line, unit);
    int all = layout.chunksPerBlock();
    int chunks = all / trees.size();
    int[] done = new int[chunks];
    for (int i = 0; i < below.length; i++) {
      int block = steps.threadBlock(channel(line), RankSteps.NONE, below[i]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange sum = ChunkRange.scratch(line * chunks + chunk, 1);
        done[chunk] = i == 0
            ? steps.receive(block, sum)
            : steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), done[chunk]);
      }
    }
    boolean root = tree.parent(unit) < 0;
    if (!root) {
      int above = firstOf[line] + tree.parent(unit);
      int up = steps.threadBlock(channel(line), above, RankSteps.NONE);
      int down = steps.threadBlock(channel(line), RankSteps.NONE, above);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(up, ChunkRange.scratch(line * chunks + chunk, 1)), done[chunk]);
        done[chunk] = steps.receive(down, ChunkRange.scratch(all + line * chunks + chunk, 1));
      }
    }
    for (int to : below) {
      int block = steps.threadBlock(channel(line), to, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        int slot = (root ? 0 : all) + line * chunks + chunk;
        steps.after(steps.send(block, ChunkRange.scratch(slot, 1)), done[chunk]);
      }
    }
    return steps.build();
  }

  /**
   * What a unit does of an all_gather, or of a reduce_scatter whose blocks come from every rank of its rail. Blocks lie in
   * scratch as the ranks number them.
   *
   * <p>To gather, the blocks of the ranks below a unit go up, and each part below gets those that it has not. To scatter,
   * sums of all the rail's blocks go up, and each part below gets its own.
   *
   * @param layout with every rank's block in scratch
   * @param channels of the collective
   */
  RankSteps blocks(Layout layout, int participant, int channels) {
    int line = line(participant);
    int chunks = layout.chunksPerBlock() / channels;
    int channel = line / (trees.size() / channels);
    return new UnitBlocks(
        trees.get(line), layout, participant - firstOf[line], firstOf[line], channel(line))
        .steps(channel * chunks, chunks);
  }

  private int line(int participant) {
    int found = Arrays.binarySearch(firstOf, participant);
    return found >= 0 ? found : -found - 2;
  }
}
