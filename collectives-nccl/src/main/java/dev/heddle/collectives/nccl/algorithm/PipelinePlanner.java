package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.schedule.NvlsDomains;
import dev.heddle.collectives.nccl.schedule.PeerSteps;
import dev.heddle.collectives.nccl.schedule.Peers;
import dev.heddle.collectives.nccl.schedule.Rings;
import dev.heddle.collectives.nccl.schedule.SharpTrees;
import dev.heddle.collectives.nccl.schedule.Trees;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The pipelines of a collective for the flow network. Their rate limits are the rates of the closed form, so that an
 * idle machine takes the time of the closed form; contention on the links of the fabric makes them slower.
 */
final class PipelinePlanner {
  private static final long MESSAGE = 512L << 10;

  private final NcclCommunicator communicator;
  private final Collective collective;
  private final CallTime time;
  // Whether this call of a chain follows equal ones.
  private final boolean follows;
  private final long fixedPs;
  private final int paths;

  PipelinePlanner(NcclCommunicator communicator, Collective collective) {
    this.communicator = communicator;
    this.collective = collective;
    boolean chain = collective.op() == CollectiveOp.BROADCAST || collective.op() == CollectiveOp.REDUCE;
    follows = communicator.repeated() && chain;
    time = follows ? communicator.interval(collective) : communicator.time(collective);
    fixedPs = Math.round((time.launchNs() + time.waitNs()) * 1e3);
    paths = communicator.paths(time.channel().wireBytes(), MESSAGE);
  }

  List<Pipeline> pipelines() {
    if (!CommunicatorTiming.tuned(collective.op())) {
      return peers();
    }
    Execution execution = communicator.timing().execution(collective.op(), collective.bytes());
    return switch (execution.algorithm()) {
      case RING -> rings(execution);
      case TREE -> trees(execution.channels());
      case COLLNET_CHAIN -> chains(execution.channels());
      case COLLNET_DIRECT -> direct(execution.channels());
      case NVLS, NVLS_TREE -> switches(execution);
      case PAT -> List.of(aggregatedTrees());
    };
  }

  private Pipeline pipeline(Edges edges, long bytes) {
    return pipeline(edges, bytes, new Pipeline.Fill(0, 0, fixedPs));
  }

  private Pipeline pipeline(Edges edges, long bytes, Pipeline.Fill fill) {
    return routed(edges.pipeline(bytes, MESSAGE, time.transferNs() * 1e3, fill));
  }

  private Pipeline routed(Pipeline pipeline) {
    TransportModel.Headers headers = communicator.connections().headers();
    long message = Math.max(1, pipeline.messageBytes());
    Pipeline whole = pipeline.withHeaders((double) headers.wireBytes(message) / message);
    return headers.spreads() ? whole : whole.singlePath();
  }

  // A pipeline whose steps wait throughout the transfer and thus load the links evenly: contention matters only when it
  // takes more than the waiting leaves free. Only the start comes before all steps.
  private Pipeline evenPipeline(Edges edges, Execution execution) {
    double startNs = communicator.machine().gpu().startNs(execution.protocol(), false);
    return routed(edges.pipeline(
        time.channel().wireBytes(), MESSAGE, (time.transferNs() + time.waitNs() - startNs) * 1e3,
        new Pipeline.Fill(0, 0, Math.round((time.launchNs() + startNs) * 1e3))));
  }

  private List<Pipeline> rings(Execution execution) {
    Rings rings = communicator.rings(execution.channels());
    Schedule.Rails rails = communicator.ringRails();
    List<Pipeline> pipelines = new ArrayList<>();
    TransportModel.Costs costs = new SliceCosts(communicator, collective).of(execution).costs();
    for (int channel = 0; channel < execution.channels(); channel++) {
      Edges edges = new Edges(paths);
      edges.addRing(rings, channel, collective, communicator::terminal, rails);
      pipelines.add(follows ? pipeline(edges, time.channel().wireBytes())
          : collective.op().rooted()
              ? pipeline(edges, time.channel().wireBytes(), chainFill(execution, costs, crossings(rings, channel)))
          : evenPipeline(edges, execution));
    }
    return pipelines;
  }

  private int crossings(Rings rings, int channel) {
    return (int) IntStream.range(0, communicator.ranks()).filter(rank -> {
      int next = rings.behind(channel, rank, -1);
      return Edges.joined(collective, rank, next) && communicator.onDifferentNodes(rank, next);
    }).count();
  }

  // The start of a chain. Consecutive calls overlap, so that the busiest rank determines their time; a single call also
  // takes the time of its start, and that in which the first chunk travels on from the second rank.
  private Pipeline.Fill chainFill(Execution execution, TransportModel.Costs costs, int crossing) {
    int hops = communicator.ranks() - 2;
    long chunk =
        collective.bytes() / execution.channels() / new SchedulePlanner(communicator, collective).loops(execution);
    long head = Math.min(chunk, Buffers.ringPass(execution.protocol()));
    long first = costs.startPs() - Math.round(time.launchNs() * 1e3)
        + hops * (Math.max(costs.workPs(head), costs.pacePs(head, false)) + costs.hopPs())
        + crossing * (costs.networkHopPs() - costs.hopPs());
    return new Pipeline.Fill(1.0 / paths, 0, fixedPs + first + Math.max(0, crossing - 1) * networkPs(execution, head));
  }

  // The time of a chunk at the whole rate of its NIC.
  private long networkPs(Execution execution, long bytes) {
    double share = time.resources().nicNs() * Buffers.wirePerData(execution.protocol())
        / Math.max(1, time.channel().wireBytes());
    double nics = communicator.machine().network().map(NetworkTiming::nicCount).orElse(1);
    return Math.round(bytes * share * Math.min(1, nics / execution.channels()) * 1e3);
  }

  private List<Pipeline> trees(int channels) {
    Trees trees = communicator.trees(channels);
    Schedule.Rails rails = communicator.treeRails();
    List<Pipeline> pipelines = new ArrayList<>();
    for (int channel = 0; channel < channels; channel++) {
      Edges edges = new Edges(paths);
      for (int rank = 0; rank < communicator.ranks(); rank++) {
        int parent = trees.parent(channel, rank);
        if (parent >= 0) {
          edges.add(communicator.terminal(rank), communicator.terminal(parent), rails.between(rank, parent, channel));
          edges.add(communicator.terminal(parent), communicator.terminal(rank), rails.between(parent, rank, channel));
        }
      }
      pipelines.add(pipeline(edges, time.channel().wireBytes()));
    }
    return pipelines;
  }

  private List<Pipeline> chains(int channels) {
    SharpTrees networkTrees = communicator.network().chainTrees(channels);
    Trees chains = communicator.network().chains(channels, networkTrees);
    List<Pipeline> pipelines = new ArrayList<>();
    for (int channel = 0; channel < channels; channel++) {
      Edges edges = new Edges(paths);
      for (int rank = 0; rank < communicator.ranks(); rank++) {
        for (int child : chains.children(channel, rank)) {
          edges.addBothWays(communicator.terminal(child), communicator.terminal(rank));
        }
      }
      for (SharpTrees.Connection each : networkTrees.connections(channel, communicator::terminal)) {
        edges.addBothWays(each.below(), each.above());
      }
      pipelines.add(pipeline(edges, time.channel().wireBytes()));
    }
    return pipelines;
  }

  private List<Pipeline> direct(int channels) {
    NvlsDomains domains = communicator.network().domains();
    SharpTrees networkTrees = communicator.network().trees(domains, channels, communicator.ranks());
    long part = time.channel().wireBytes();
    List<Pipeline> pipelines = new ArrayList<>();
    for (int channel = 0; channel < channels; channel++) {
      Edges edges = new Edges(paths);
      for (int head = 0; head < domains.heads(); head++) {
        for (int rank = 0; rank < communicator.ranks(); rank++) {
          int owner = domains.head(domains.domain(rank), head);
          if (owner != rank && collective.op() != CollectiveOp.ALL_GATHER) {
            edges.add(communicator.terminal(rank), communicator.terminal(owner));
          }
          if (owner != rank && collective.op() != CollectiveOp.REDUCE_SCATTER) {
            edges.add(communicator.terminal(owner), communicator.terminal(rank));
          }
        }
        pipelines.addAll(rail(networkTrees, channel * domains.heads() + head, part / domains.heads()));
      }
      pipelines.add(pipeline(edges, part / domains.heads()));
    }
    return pipelines;
  }

  // The pipelines of NVLS: all data go up to the switches, come down, or both; the heads' shares go the other way, and
  // between nodes.
  private List<Pipeline> switches(Execution execution) {
    CollectiveOp op = collective.op();
    NvlsDomains domains = communicator.domains();
    int channels = execution.channels();
    boolean network = execution.algorithm() == Algorithm.NVLS && domains.count() > 1;
    SharpTrees networkTrees = network
        ? communicator.network().trees(domains, channels, communicator.ranks()) : SharpTrees.none();
    int[] aggregators = communicator.aggregators();
    List<Pipeline> pipelines = new ArrayList<>();
    long part = time.channel().wireBytes();
    for (int channel = 0; channel < channels; channel++) {
      Edges all = new Edges(paths);
      Edges heads = new Edges(paths);
      for (int domain = 0; domain < domains.count(); domain++) {
        for (int rank : domains.members(domain)) {
          if (op != CollectiveOp.ALL_GATHER) {
            all.add(communicator.terminal(rank), aggregators[domain]);
          }
          if (op != CollectiveOp.REDUCE_SCATTER) {
            all.add(aggregators[domain], communicator.terminal(rank));
          }
        }
        int parent = network ? RankSteps.NONE : domains.parent(channel, domain);
        for (int head = 0; head < domains.heads(); head++) {
          int owner = communicator.terminal(domains.head(domain, head));
          if (op != CollectiveOp.ALL_GATHER) {
            heads.add(aggregators[domain], owner);
          }
          if (op != CollectiveOp.REDUCE_SCATTER) {
            heads.add(owner, aggregators[domain]);
          }
          if (parent >= 0) {
            heads.addBothWays(owner, communicator.terminal(domains.head(parent, head)));
          }
        }
      }
      pipelines.add(pipeline(all, part));
      pipelines.add(pipeline(heads, part / domains.heads()));
      for (int head = 0; head < domains.heads() && network; head++) {
        pipelines.addAll(rail(networkTrees, channel * domains.heads() + head, part / domains.heads()));
      }
    }
    return pipelines;
  }

  // The pipelines of an aggregation tree. An all_reduce moves all blocks both ways; a reduce_scatter moves all sums up
  // and the blocks of the ranks below down; an all_gather moves the blocks of the ranks below up and the others down.
  private List<Pipeline> rail(SharpTrees networkTrees, int treeNumber, long bytes) {
    int nodes = communicator.timing().layout().nodes();
    SortedMap<Integer, Edges> byBlocks = new TreeMap<>();
    for (SharpTrees.Connection each : networkTrees.connections(treeNumber, communicator::terminal)) {
      int up = collective.op() == CollectiveOp.ALL_GATHER ? each.ranks() : nodes;
      int down = switch (collective.op()) {
        case ALL_GATHER -> nodes - each.ranks();
        case REDUCE_SCATTER -> each.ranks();
        default -> nodes;
      };
      byBlocks.computeIfAbsent(up, absent -> new Edges(paths)).add(each.below(), each.above());
      byBlocks.computeIfAbsent(down, absent -> new Edges(paths)).add(each.above(), each.below());
    }
    return byBlocks.entrySet().stream().map(edges -> pipeline(edges.getValue(), bytes * edges.getKey() / nodes))
        .toList();
  }

  private Pipeline aggregatedTrees() {
    Edges edges = new Edges(paths);
    int n = communicator.ranks();
    for (int distance = Integer.highestOneBit(n - 1); distance >= 1; distance /= 2) {
      int step = collective.op() == CollectiveOp.ALL_GATHER ? distance : -distance;
      for (int rank = 0; rank < n; rank++) {
        for (int offset = 0; offset + distance < n; offset += 2 * distance) {
          edges.add(communicator.terminal(rank), communicator.terminal(Math.floorMod(rank + step, n)));
        }
      }
    }
    return pipeline(edges, collective.bytes() / n);
  }

  // The pipelines of send and receive, one for all messages of each size; the load of the busiest rank determines their
  // time.
  private List<Pipeline> peers() {
    Peers peers = communicator.peers(1);
    SortedMap<Long, Edges> bySize = new TreeMap<>();
    int n = communicator.ranks();
    for (int rank = 0; rank < n; rank++) {
      for (int round = 0; round < peers.rounds(); round++) {
        int target = peers.target(rank, round);
        if (PeerSteps.sends(collective, rank, target)) {
          message(
              bySize.computeIfAbsent(bytes(rank, target), size -> new Edges(paths)),
              new int[] {rank, peers.relay(rank, target), target});
        }
      }
    }
    double wirePerData = Buffers.wirePerData(communicator.timing().message(collective).protocol());
    return bySize.entrySet().stream()
        .map(edges -> pipeline(edges.getValue(), Math.round(edges.getKey() * wirePerData))).toList();
  }

  private long bytes(int sender, int target) {
    return switch (collective.op()) {
      case SEND_RECV -> collective.bytes();
      case ALL_TO_ALL_V -> collective.pairBytes(sender, target);
      default -> collective.bytes() / communicator.ranks();
    };
  }

  // Adds the edges of a message. Where another GPU of the node owns the NIC of the receiver's rail, the message goes
  // there first, over NVLink.
  private void message(Edges edges, int[] path) {
    if (path[1] != path[0]) {
      edges.add(communicator.terminal(path[0]), communicator.terminal(path[1]));
    }
    edges.add(communicator.terminal(path[1]), communicator.terminal(path[2]));
  }
}
