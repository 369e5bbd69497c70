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

/** Planner of a collective's schedule with NCCL's algorithm, channels and chunks. */
final class SchedulePlanner {
  // Upper and lower bounds of the pieces of messages that a rank relays, for all of its peers together: more pieces
  // make a plan longer, fewer delay the relay, which stores whole pieces.
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
      return alone(collective);
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
          communicator.rings(execution.channels()), collective, loops(execution)), execution.protocol())
          .onRails(communicator.ringRails());
      case TREE -> direct(TreeSteps.schedule(
          communicator.trees(execution.channels()), collective, chunks(execution),
          execution.protocol() == Protocol.SIMPLE), execution.protocol()).onRails(communicator.treeRails());
      case NVLS, NVLS_TREE -> switches(execution);
      case PAT -> PatSteps.schedule(collective, execution.channels(), blocks(execution));
      case COLLNET_CHAIN -> collNetChain(execution);
      case COLLNET_DIRECT -> collNetDirect(execution);
    };
    return schedule.withProtocol(protocols.of(execution));
  }

  // The schedule with direct writes. Lines of the LL protocols are always read from the connection's buffer.
  private Schedule direct(Schedule schedule, Protocol protocol) {
    DirectAccess access = communicator.access();
    return protocol == Protocol.SIMPLE && access.isAny() ? schedule.withDirectWrites(access::between) : schedule;
  }

  private Schedule collNetChain(Execution execution) {
    SharpTrees networkTrees = communicator.network().chainTrees(execution.channels());
    return TreeSteps.schedule(
        communicator.network().chains(execution.channels(), networkTrees), networkTrees, collective, chunks(execution))
        .onAggregators(networkTrees.terminals(), networkTrees.hosts());
  }

  private Schedule collNetDirect(Execution execution) {
    NvlsDomains domains = communicator.network().domains();
    SharpTrees networkTrees = communicator.network().trees(domains, execution.channels(), ranks);
    Schedule schedule = collective.op() == CollectiveOp.ALL_REDUCE
        ? CollNetDirectSteps.schedule(domains, networkTrees, collective, execution.channels(), chunks(execution))
        : CollNetDirectBlockSteps.schedule(domains, networkTrees, collective, execution.channels(), chunks(execution));
    return schedule.onAggregators(networkTrees.terminals(), networkTrees.hosts());
  }

  private Schedule switches(Execution execution) {
    NvlsDomains domains = communicator.domains();
    ImmutableIntArray units = ImmutableIntArray.copyOf(communicator.aggregators());
    ImmutableIntArray first = ImmutableIntArray.copyOf(
        IntStream.range(0, domains.count()).map(domain -> domains.members(domain)[0]));
    boolean network = execution.algorithm() == Algorithm.NVLS && domains.count() > 1;
    SharpTrees networkTrees = network
        ? communicator.network().trees(domains, execution.channels(), ranks + domains.count()) : SharpTrees.none();
    Schedule schedule = collective.op() == CollectiveOp.ALL_REDUCE
        ? NvlsSteps.schedule(domains, networkTrees, collective, execution.channels(), chunks(execution))
        : NvlsBlockSteps.schedule(domains, networkTrees, collective, execution.channels(), chunks(execution));
    return schedule.onAggregators(joined(units, networkTrees.terminals()), joined(first, networkTrees.hosts()));
  }

  private static ImmutableIntArray joined(ImmutableIntArray some, ImmutableIntArray more) {
    return ImmutableIntArray.builder().addAll(some).addAll(more).build();
  }

  private Execution execution() {
    return communicator.timing().execution(collective.op(), collective.bytes());
  }

  // The number of pieces in which a relay forwards a message: NCCL forwards chunk by chunk.
  private int pieces(Message message) {
    int most = Math.max(LEAST_PIECES, MOST_PIECES / ranks);
    return Math.toIntExact(Math.max(1, Math.min(most, message.partBytes() / message.chunkBytes())));
  }

  /** The number of loops of each channel's ring. */
  int loops(Execution execution) {
    boolean rooted = collective.op().rooted();
    long chunk = buffers.ringChunk(execution.protocol(), rooted) * (rooted ? 1 : ranks);
    return count(collective.bytes() / execution.channels(), chunk);
  }

  /**
   * The number of chunks of each channel's tree or chain, of each head of CollNetDirect, or of each head or rank of
   * NVLS.
   */
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
    int heads = channels * (direct ? communicator.network().domains() : communicator.domains()).heads();
    long chunk = direct
        ? buffers.collNetChunk(true, bytes, heads, layout)
        : buffers.nvlsChunk(bytes, heads, layout, execution.algorithm() == Algorithm.NVLS_TREE);
    boolean whole = direct || collective.op() == CollectiveOp.ALL_REDUCE;
    return count(bytes / (whole ? heads : (long) channels * ranks), chunk);
  }

  // The number of pieces of a tree. Lines of the LL protocols are forwarded before a whole chunk has arrived.
  private int treeChunks(Execution execution, long chunk) {
    long part = collective.bytes() / execution.channels();
    int whole = count(part, chunk);
    int heads = count(part, Math.min(chunk, Buffers.treePass(execution.protocol())));
    return heads <= MOST_HEADS ? heads : whole;
  }

  // The number of blocks that one slice of PAT holds.
  private int blocks(Execution execution) {
    long block = Math.max(1, collective.bytes() / ranks / execution.channels());
    return Math.toIntExact(Math.max(1, Math.min(ranks, buffers.step(Protocol.SIMPLE) / block)));
  }

  private static int count(long bytes, long chunk) {
    return Math.toIntExact(Math.max(1, (bytes + chunk - 1) / chunk));
  }

  /** The schedule of a single rank, which copies its input. */
  static Schedule alone(Collective collective) {
    Layout layout = Layout.of(collective, 1);
    return Schedule.planned("NCCL", layout, rank -> {
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      steps.copy(
          steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(0, 1), ChunkRange.output(0, 1));
      return steps.build();
    });
  }
}
