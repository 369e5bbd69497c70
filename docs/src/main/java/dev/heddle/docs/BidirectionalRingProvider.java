package dev.heddle.docs;

// sample: provider
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import java.util.List;
import java.util.stream.IntStream;

/** Provides an all_gather over two rings of opposite direction, each with half of every block. */
@Plugin(id = "bidirectional-ring", description = "All_gather over two rings of opposite direction")
public final class BidirectionalRingProvider
    implements
      CollectiveAlgorithmProvider<BidirectionalRingProvider.Settings> {
  private static final String ID = "bidirectional-ring";

  /** The settings: none. */
  public record Settings() {}

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new BidirectionalRing();
  }
  // end

  // sample: algorithm
  private static final class BidirectionalRing implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      // Choices that depend on the placement of the ranks belong here: they are made once per group.
      return collective -> CollectivePlan.of(schedule(collective)).withPipelines(() -> rings(collective, group));
    }
  }
  // end

  // sample: schedule
  private static final int RINGS = 2;
  private static final int WINDOW = 2;

  private static Schedule schedule(Collective collective) {
    if (collective.op() != CollectiveOp.ALL_GATHER) {
      throw new InvalidSettingException("", ID + " does not serve " + collective.op().key() + "; it serves all_gather");
    }
    Layout layout = Layout.of(collective, RINGS);
    return Schedule.planned(ID, layout, rank -> steps(layout, rank)).withWindow(WINDOW);
  }

  private static RankSteps steps(Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    int ranks = layout.ranks();
    int copies = steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE);
    steps.copy(copies, ChunkRange.input(0, RINGS), ChunkRange.output(rank * RINGS, RINGS));
    for (int ring = 0; ring < RINGS && ranks > 1; ring++) {
      int direction = ring == 0 ? 1 : -1;
      int next = Math.floorMod(rank + direction, ranks);
      int previous = Math.floorMod(rank - direction, ranks);
      int block = steps.threadBlock(ring, next, previous);
      steps.send(block, ChunkRange.input(ring, 1));
      for (int distance = 1; distance < ranks; distance++) {
        int owner = Math.floorMod(rank - direction * distance, ranks);
        boolean last = distance == ranks - 1;
        steps.step(
            block, last ? StepKind.RECEIVE : StepKind.RECEIVE_COPY_SEND, null,
            ChunkRange.output(owner * RINGS + ring, 1));
      }
    }
    return steps.build();
  }
  // end

  // sample: pipelines
  private static List<Pipeline> rings(Collective collective, Group group) {
    if (group.size() == 1) {
      return List.of();
    }
    return List.of(ring(collective, group, 1), ring(collective, group, -1));
  }

  private static Pipeline ring(Collective collective, Group group, int direction) {
    int n = group.size();
    long half = direction > 0 ? collective.bytes() / RINGS : collective.bytes() - collective.bytes() / RINGS;
    ImmutableIntArray sources = ImmutableIntArray.copyOf(IntStream.range(0, n).map(group::member));
    ImmutableIntArray targets = ImmutableIntArray.copyOf(
        IntStream.range(0, n).map(rank -> group.member(Math.floorMod(rank + direction, n))));
    // Of n blocks each edge carries all but one; a block crosses n - 1 edges, one message after the other.
    return Pipeline.of(
        sources, targets, half / n * (n - 1), half / n, new Pipeline.Fill((double) (n - 1) / n, 0, 0));
  }
  // end
}
