package dev.heddle.collectives.oneccl;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Schedules: ranks scale up over their GPU and then their plane, out over the nodes, and back. Where the host takes
 * part, every rank has a buffer in its memory, which follows the ranks as an aggregator.
 */
final class Plans {
  private final Teams teams;
  private final ScaleOut scaleOut;
  private final HostPath host;
  private final Layout layout;
  private final int parts;

  Plans(Teams teams, ScaleOut scaleOut, HostPath host, Collective collective) {
    this.teams = teams;
    this.scaleOut = scaleOut;
    this.host = teams.nodes() == 1 ? HostPath.NONE : host;
    parts = ScaleOutSteps.parts(scaleOut, teams.nodes());
    Layout plain = Layout.of(collective, Math.multiplyExact(teams.perNode(), parts));
    layout = this.host == HostPath.NONE ? plain : plain.withScratch(scratch(plain)).withAggregators(plain.ranks());
  }

  // Copies of every round and direction have separate chunks; data reduced in the host have one.
  private long[] scratch(Layout plain) {
    int chunks = plain.chunksPerBlock();
    long[] bytes = new long[chunks * (host == HostPath.COPY ? 2 * ScaleOutSteps.rounds(teams.nodes()) : 1)];
    Arrays.setAll(bytes, slot -> plain.bytes(0, ChunkRange.input(slot % chunks, 1)));
    return bytes;
  }

  Schedule schedule(String name) {
    Schedule schedule = Schedule.planned(name, layout, this::steps);
    return host == HostPath.NONE ? schedule : schedule.onAggregators(
        ImmutableIntArray.copyOf(teams.buffers()),
        ImmutableIntArray.copyOf(IntStream.range(0, layout.ranks())));
  }

  private RankSteps steps(int participant) {
    if (participant < layout.ranks()) {
      return rank(participant, new Relayed());
    }
    int rank = participant - layout.ranks();
    return host == HostPath.COPY ? relays(rank) : reducing(rank);
  }

  private int firstChunk(int rank) {
    return teams.place(rank) % teams.tiles() * teams.gpus() * parts + teams.place(rank) / teams.tiles() * parts;
  }

  private RankSteps rank(int rank, Relayed relayed) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    if (layout.ranks() == 1) {
      steps.copy(
          steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(0, 1), ChunkRange.output(0, 1));
      return steps.build();
    }
    int tile = teams.place(rank) % teams.tiles();
    int gpu = teams.place(rank) / teams.tiles();
    int half = teams.gpus() * parts;
    int[] ofGpu = new int[teams.tiles()];
    Arrays.setAll(ofGpu, other -> teams.rank(teams.node(rank), gpu * teams.tiles() + other));
    int[] ofPlane = new int[teams.gpus()];
    Arrays.setAll(ofPlane, other -> teams.rank(teams.node(rank), other * teams.tiles() + tile));
    ScaleUpSteps within = new ScaleUpSteps(steps, 0, tile, ofGpu);
    ScaleUpSteps across = new ScaleUpSteps(steps, 0, gpu, ofPlane);
    int last = within.reduceScatter(0, half, Buffer.INPUT, RankSteps.NONE);
    last = across.reduceScatter(tile * half, parts, last == RankSteps.NONE ? Buffer.INPUT : Buffer.OUTPUT, last);
    last = out(steps, rank, last, relayed);
    within.allGather(0, half, across.allGather(tile * half, parts, List.of(last)));
    return steps.build();
  }

  private int out(RankStepsBuilder steps, int rank, int after, Relayed relayed) {
    Buffer data = teams.perNode() == 1 ? Buffer.INPUT : Buffer.OUTPUT;
    ScaleOutSteps.Chunks chunks = new ScaleOutSteps.Chunks(firstChunk(rank), parts, data, Buffer.OUTPUT);
    int place = teams.place(rank);
    int own = layout.ranks() + rank;
    if (host == HostPath.REDUCE) {
      int block = steps.threadBlock(0, own, own);
      steps.after(steps.send(block, new ChunkRange(data, chunks.first(), parts)), after);
      return steps.receive(block, ChunkRange.output(chunks.first(), parts));
    }
    ScaleOutSteps.Ends ends = host == HostPath.NONE
        ? (round, to, from) -> steps.threadBlock(0, teams.rank(to, place), teams.rank(from, place))
        : (round, to, from) -> {
          relayed.note(round, to, from);
          return steps.threadBlock(1 + round, own, own);
        };
    return new ScaleOutSteps(steps, ends, teams.node(rank), teams.nodes(), chunks).add(scaleOut, after);
  }

  /** The nodes between which a rank's rounds go, where its messages go by its buffer. */
  private final class Relayed {
    private final int[] to = new int[ScaleOutSteps.rounds(teams.nodes())];
    private final int[] from = new int[to.length];

    void note(int round, int sendNode, int receiveNode) {
      to[round] = sendNode;
      from[round] = receiveNode;
    }
  }

  // The buffer forwards the data that its rank sends and those that arrive for it, message by message.
  private RankSteps relays(int rank) {
    Relayed relayed = new Relayed();
    RankSteps own = rank(rank, relayed);
    int buffer = layout.ranks() + rank;
    int place = teams.place(rank);
    RankStepsBuilder steps = new RankStepsBuilder(layout, buffer);
    for (int block = 0; block < own.threadBlocks(); block++) {
      if (own.sendPeer(block) != buffer) {
        continue;
      }
      int round = own.channel(block) - 1;
      int out = steps.threadBlock(
          1 + round, layout.ranks() + teams.rank(relayed.to[round], place), rank);
      int in = steps.threadBlock(
          1 + round, rank, layout.ranks() + teams.rank(relayed.from[round], place));
      for (int step = own.firstStep(block); step < own.endStep(block); step++) {
        StepKind kind = own.kind(step);
        int slot = Math.max(own.sourceSlot(step), own.targetSlot(step)) + 2 * round * layout.chunksPerBlock();
        if (kind.receives()) {
          relay(steps, in, slot + layout.chunksPerBlock(), own.chunks(step));
        }
        if (kind.sends()) {
          relay(steps, out, slot, own.chunks(step));
        }
      }
    }
    return steps.build();
  }

  private static void relay(RankStepsBuilder steps, int block, int slot, int count) {
    steps.step(block, StepKind.RECEIVE_COPY_SEND, null, ChunkRange.scratch(slot, count));
  }

  // The buffer receives its rank's sums, reduces them with those of other nodes, and returns the result.
  private RankSteps reducing(int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, layout.ranks() + rank);
    int place = teams.place(rank);
    ScaleOutSteps.Chunks chunks =
        new ScaleOutSteps.Chunks(firstChunk(rank), parts, Buffer.SCRATCH, Buffer.SCRATCH);
    int block = steps.threadBlock(0, rank, rank);
    int last = steps.receive(block, ChunkRange.scratch(chunks.first(), parts));
    ScaleOutSteps.Ends ends = (round, to, from) -> steps.threadBlock(0, layout.ranks() + teams.rank(to, place),
        layout.ranks() + teams.rank(from, place));
    last = new ScaleOutSteps(steps, ends, teams.node(rank), teams.nodes(), chunks).add(scaleOut, last);
    steps.after(steps.send(block, ChunkRange.scratch(chunks.first(), parts)), last);
    return steps.build();
  }
}
