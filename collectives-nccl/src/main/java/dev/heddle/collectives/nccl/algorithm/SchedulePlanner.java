package dev.heddle.collectives.nccl.algorithm;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.p2p.Message;
import dev.heddle.collectives.nccl.schedule.CollNetDirectBlockSteps;
import dev.heddle.collectives.nccl.schedule.CollNetDirectSteps;
import dev.heddle.collectives.nccl.schedule.NvlsBlockSteps;
import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.schedule.NvlsSteps;
import dev.heddle.collectives.nccl.schedule.PatSteps;
import dev.heddle.collectives.nccl.schedule.PeerSteps;
import dev.heddle.collectives.nccl.schedule.RingSteps;
import dev.heddle.collectives.nccl.schedule.SharpTrees;
import dev.heddle.collectives.nccl.schedule.TreeSteps;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.RankLayout;
import java.util.stream.IntStream;

/** The schedule of a collective as NCCL carries it out. */
final class SchedulePlanner {
  // Pieces of messages that a rank passes on, of all its peers together: more make a plan longer, fewer make the relay
  // store larger pieces before it forwards them.
  private static final int MOST_PIECES = 1024;
  private static final int LEAST_PIECES = 8;
  private static final int MOST_HEADS = 256;

  private final NcclCommunicator communicator;
  private final Collective collective;
  private final int ranks;
  private final Buffers buffers;

  SchedulePlanner(NcclCommunicator communicator, Collective collective) {
    this.communicator = communicator;
    this.collective = collective;
    ranks = collective.ranks();
    buffers = communicator.buffers();
  }

  Schedule schedule() {
    if (ranks == 1) {
      return alone();
    }
    SliceCosts protocols = new SliceCosts(communicator, collective);
    if (!CommunicatorTiming.tuned(collective.op())) {
      Message message = communicator.timing().message(collective);
      Schedule schedule =
          PeerSteps.schedule(communicator.peers(message.channels()), collective, pieces(message));
      return direct(schedule, message.protocol()).withProtocol(protocols.ofPeers(message));
    }
    Execution execution = execution();
    Schedule schedule = switch (execution.algorithm()) {
      case RING -> direct(RingSteps.schedule(
          communicator.rings(execution.channels()), collective, loops(execution)), execution.protocol());
      case TREE -> direct(TreeSteps.schedule(
          communicator.trees(execution.channels()), collective, chunks(execution)), execution.protocol());
      case NVLS, NVLS_TREE -> switches(execution);
      case PAT -> PatSteps.schedule(collective, execution.channels());
      case COLLNET_CHAIN -> collNetChain(execution);
      case COLLNET_DIRECT -> collNetDirect(execution);
    };
    return schedule.withProtocol(protocols.of(execution));
  }

  // Lines are read from the connection's buffer, whoever writes them.
  private Schedule direct(Schedule schedule, Protocol protocol) {
    DirectAccess access = communicator.access();
    return protocol == Protocol.SIMPLE && access.isAny() ? schedule.withDirectWrites(access::between) : schedule;
  }

  private Schedule collNetChain(Execution execution) {
    SharpTrees lines = communicator.network().chainLines(execution.channels());
    return TreeSteps.schedule(
        communicator.network().chains(execution.channels(), lines), lines, collective, chunks(execution))
        .onAggregators(lines.terminals(), lines.hosts());
  }

  private Schedule collNetDirect(Execution execution) {
    NvlsDomains teams = communicator.network().teams();
    SharpTrees lines = communicator.network().lines(teams, execution.channels(), ranks);
    Schedule schedule = collective.op() == CollectiveOp.ALL_REDUCE
        ? CollNetDirectSteps.schedule(teams, lines, collective, execution.channels(), chunks(execution))
        : CollNetDirectBlockSteps.schedule(teams, lines, collective, execution.channels(), chunks(execution));
    return schedule.onAggregators(lines.terminals(), lines.hosts());
  }

  private Schedule switches(Execution execution) {
    NvlsDomains teams = communicator.teams();
    ImmutableIntArray units = ImmutableIntArray.copyOf(communicator.aggregators());
    ImmutableIntArray first = ImmutableIntArray.copyOf(
        IntStream.range(0, teams.teams()).map(team -> teams.members(team)[0]));
    boolean network = execution.algorithm() == Algorithm.NVLS && teams.teams() > 1;
    SharpTrees lines = network
        ? communicator.network().lines(teams, execution.channels(), ranks + teams.teams()) : SharpTrees.none();
    Schedule schedule = collective.op() == CollectiveOp.ALL_REDUCE
        ? NvlsSteps.schedule(teams, lines, collective, execution.channels(), chunks(execution))
        : NvlsBlockSteps.schedule(teams, lines, collective, execution.channels(), chunks(execution));
    return schedule.onAggregators(joined(units, lines.terminals()), joined(first, lines.hosts()));
  }

  private static ImmutableIntArray joined(ImmutableIntArray some, ImmutableIntArray more) {
    return ImmutableIntArray.builder().addAll(some).addAll(more).build();
  }

  private Execution execution() {
    return communicator.timing().execution(collective.op(), collective.bytes());
  }

  // NCCL forwards chunk by chunk.
  private int pieces(Message message) {
    int most = Math.max(LEAST_PIECES, MOST_PIECES / ranks);
    return Math.toIntExact(Math.max(1, Math.min(most, message.partBytes() / message.chunkBytes())));
  }

  /** The loops of each channel's ring. */
  int loops(Execution execution) {
    boolean rooted = collective.op().rooted();
    long chunk = buffers.ringChunk(execution.protocol(), rooted) * (rooted ? 1 : ranks);
    return count(collective.bytes() / execution.channels(), chunk);
  }

  /** The chunks of each channel's tree or chain, of each head of CollNetDirect, or of each head or rank of NVLS. */
  private int chunks(Execution execution) {
    int channels = execution.channels();
    long bytes = collective.bytes();
    RankLayout layout = communicator.timing().layout();
    if (execution.algorithm() == Algorithm.TREE) {
      return treeChunks(execution, buffers.treeChunk(execution.protocol(), bytes, channels, layout));
    }
    if (execution.algorithm() == Algorithm.COLLNET_CHAIN) {
      return count(bytes / channels, buffers.collNetChunk(false, bytes, channels, layout));
    }
    boolean direct = execution.algorithm() == Algorithm.COLLNET_DIRECT;
    int heads = channels * (direct ? communicator.network().teams() : communicator.teams()).heads();
    long chunk = direct
        ? buffers.collNetChunk(true, bytes, heads, layout)
        : buffers.nvlsChunk(bytes, heads, layout, execution.algorithm() == Algorithm.NVLS_TREE);
    boolean whole = direct || collective.op() == CollectiveOp.ALL_REDUCE;
    return count(bytes / (whole ? heads : (long) channels * ranks), chunk);
  }

  // Lines are passed on before all of a chunk is there, by all of a rank's connections alike.
  private int treeChunks(Execution execution, long chunk) {
    long part = collective.bytes() / execution.channels();
    int whole = count(part, chunk);
    int heads = count(part, Math.min(chunk, Buffers.treeHead(execution.protocol())));
    return heads <= MOST_HEADS ? heads : whole;
  }

  private static int count(long bytes, long chunk) {
    return Math.toIntExact(Math.max(1, (bytes + chunk - 1) / chunk));
  }

  private Schedule alone() {
    Layout layout = Layout.of(collective, 1);
    return Schedule.planned("NCCL", layout, rank -> {
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      steps.copy(
          steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(0, 1), ChunkRange.output(0, 1));
      return steps.build();
    });
  }
}
