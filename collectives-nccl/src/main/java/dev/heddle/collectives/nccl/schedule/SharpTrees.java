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
 * The aggregation trees of a collective: its path through the network's switches that reduce. There is one tree for
 * every channel, or for every head on every channel. Each aggregator of a tree is a participant of its own, numbered
 * after all others of the schedule, tree by tree.
 */
public final class SharpTrees {
  private final ImmutableList<NetworkTree> trees;
  private final int first;
  private final int firstChannel;
  private final int[] firstOf;

  /**
   * The participants and channels of trees.
   *
   * @param trees in the order of their numbers
   * @param first number of the first participant
   * @param firstChannel channel of the first tree's connections; the others' follow
   */
  public SharpTrees(List<NetworkTree> trees, int first, int firstChannel) {
    this.trees = ImmutableList.copyOf(trees);
    this.first = first;
    this.firstChannel = firstChannel;
    firstOf = new int[trees.size() + 1];
    Arrays.setAll(firstOf,
        treeNumber -> first + trees.stream().limit(treeNumber).mapToInt(NetworkTree::aggregators).sum());
  }

  /** No trees: the network does not reduce. */
  public static SharpTrees none() {
    return new SharpTrees(List.of(), 0, 0);
  }

  /** Whether there are no trees. */
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
        .flatMapToInt(tree -> IntStream.range(0, tree.aggregators()).map(tree::terminal)));
  }

  /** A rank below each participant. */
  public ImmutableIntArray hosts() {
    return ImmutableIntArray.copyOf(trees.stream()
        .flatMapToInt(
            tree -> IntStream.range(0, tree.aggregators()).map(aggregator -> tree.allRanksBelow(aggregator)[0])));
  }

  /** The participant above the rank of a node in a tree. */
  public int above(int treeNumber, int domain) {
    return firstOf[treeNumber] + trees.get(treeNumber).aggregatorAbove(domain);
  }

  /**
   * A connection of a tree.
   *
   * @param below terminal of the lower end
   * @param above terminal of the aggregator at the upper end
   * @param ranks number of ranks below the connection
   */
  public record Connection(int below, int above, int ranks) {}

  /**
   * The connections of a tree.
   *
   * @param terminal the terminal of each rank
   */
  public List<Connection> connections(int treeNumber, IntUnaryOperator terminal) {
    NetworkTree tree = trees.get(treeNumber);
    List<Connection> connections = new ArrayList<>();
    for (int aggregator = 0; aggregator < tree.aggregators(); aggregator++) {
      for (int rank : tree.ranksBelow(aggregator)) {
        connections.add(new Connection(terminal.applyAsInt(rank), tree.terminal(aggregator), 1));
      }
      for (int other : tree.aggregatorsBelow(aggregator)) {
        connections.add(
            new Connection(tree.terminal(other), tree.terminal(aggregator), tree.allRanksBelow(other).length));
      }
    }
    return connections;
  }

  private int[] below(int treeNumber, int aggregator) {
    return IntStream.concat(
        IntStream.of(trees.get(treeNumber).ranksBelow(aggregator)),
        IntStream.of(trees.get(treeNumber).aggregatorsBelow(aggregator)).map(other -> firstOf[treeNumber] + other))
        .toArray();
  }

  /** The channel of a tree's connections. */
  int channel(int treeNumber) {
    return firstChannel + treeNumber;
  }

  /**
   * The steps of an aggregator in an all_reduce: it adds the data from below, sends the sum up, and sends the result
   * that returns down; the root sends its own sum down. Chunks in scratch have the numbers of the blocks' chunks.
   *
   * @param layout with two scratch slots for each chunk of a block: for the sum and for the result
   */
  RankSteps allReduce(Layout layout, int participant) {
    int treeNumber = treeNumber(participant);
    NetworkTree tree = trees.get(treeNumber);
    int aggregator = participant - firstOf[treeNumber];
    RankStepsBuilder steps = new RankStepsBuilder(layout, participant);
    int[] below = below(treeNumber, aggregator);
    int all = layout.chunksPerBlock();
    int chunks = all / trees.size();
    int[] done = new int[chunks];
    for (int i = 0; i < below.length; i++) {
      int block = steps.threadBlock(channel(treeNumber), RankSteps.NONE, below[i]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange sum = ChunkRange.scratch(treeNumber * chunks + chunk, 1);
        done[chunk] = i == 0
            ? steps.receive(block, sum)
            : steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), done[chunk]);
      }
    }
    boolean root = tree.parent(aggregator) < 0;
    if (!root) {
      int above = firstOf[treeNumber] + tree.parent(aggregator);
      int up = steps.threadBlock(channel(treeNumber), above, RankSteps.NONE);
      int down = steps.threadBlock(channel(treeNumber), RankSteps.NONE, above);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(up, ChunkRange.scratch(treeNumber * chunks + chunk, 1)), done[chunk]);
        done[chunk] = steps.receive(down, ChunkRange.scratch(all + treeNumber * chunks + chunk, 1));
      }
    }
    for (int to : below) {
      int block = steps.threadBlock(channel(treeNumber), to, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        int slot = (root ? 0 : all) + treeNumber * chunks + chunk;
        steps.after(steps.send(block, ChunkRange.scratch(slot, 1)), done[chunk]);
      }
    }
    return steps.build();
  }

  /**
   * The steps of an aggregator in an all_gather, or in a reduce_scatter over all ranks of a rail. Blocks in scratch
   * have the numbers of their ranks.
   *
   * <p>In an all_gather the blocks of the ranks below go up, and each child receives the blocks that it lacks. In a
   * reduce_scatter the sums of all blocks of the rail go up, and each child receives its own.
   *
   * @param layout with a scratch slot for every rank's block
   * @param channels of the collective
   */
  RankSteps blocks(Layout layout, int participant, int channels) {
    int treeNumber = treeNumber(participant);
    int chunks = layout.chunksPerBlock() / channels;
    int channel = treeNumber / (trees.size() / channels);
    return new AggregatorBlocks(
        trees.get(treeNumber), layout, participant - firstOf[treeNumber], firstOf[treeNumber], channel(treeNumber))
        .steps(channel * chunks, chunks);
  }

  private int treeNumber(int participant) {
    int found = Arrays.binarySearch(firstOf, participant);
    return found >= 0 ? found : -found - 2;
  }
}
