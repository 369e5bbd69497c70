package dev.heddle.network.packet;

import dev.heddle.internal.collect.GraphGrowth;
import dev.heddle.network.RunOptions;
import dev.heddle.spi.DeviceKind;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A division of a fabric's devices among partitions, and the least delays between them.
 *
 * <p>Devices that interact without delay stay together: those of a node of a fabric of several tiers, and the ends of a
 * link without latency. {@link GraphGrowth} divides all others along the graph.
 */
final class FabricDivision {
  private static final int NONE = NetworkState.NONE;

  // The state of as many directed links, with the packets on them, is about a MiB; what a window uses of it, and reads
  // ahead, is a core's second cache. Chosen by measurement at 1,024 and 8,192 hosts.
  private static final int LINKS_OF_PART = 384;
  // Fewer parts cost as much in windows as they save.
  private static final int LEAST_SUITED = 3;
  // Each pair of parts has memory of its own.
  private static final int MOST_SUITED = 128;

  /** Per device its partition, from 0. */
  final int[] partitionOf;
  /** The number of partitions, each of which has a device. */
  final int partitions;
  // Empty where the division has as many partitions as the fabric allows.
  private final String obstacle;
  private final int[][] senders;
  private final long[] leastTo;

  /**
   * Divides a fabric.
   *
   * @param most partitions, at least 1
   */
  FabricDivision(NetworkPlan plan, int most) {
    Atoms atoms = new Atoms(plan);
    String reason = most == 1 ? "" : indivisible(plan, atoms);
    partitionOf = new int[plan.devices];
    if (most > 1 && reason.isEmpty()) {
      int[] parts = new GraphGrowth(graph(plan, atoms), most).parts();
      Arrays.setAll(partitionOf, device -> parts[atoms.of[device]]);
    }
    partitions = 1 + Arrays.stream(partitionOf).max().orElse(0);
    obstacle = reason;
    senders = new int[partitions][];
    leastTo = new long[partitions];
    connect(plan);
  }

  // Vertices are parts that cannot be divided.
  private static GraphGrowth.Graph graph(NetworkPlan plan, Atoms atoms) {
    int[] from = new int[plan.links];
    int[] to = new int[plan.links];
    double[] units = new double[plan.links];
    double[] bytes = new double[plan.links];
    for (int link = 0; link < plan.links; link++) {
      int model = plan.spec[link];
      from[link] = atoms.of[plan.linkSource[link]];
      to[link] = atoms.of[plan.linkTarget[link]];
      units[link] = 1.0 / Math.max(1, plan.specs[model].wirePs(plan.unitLimit[model], 0));
      bytes[link] = plan.unitLimit[model] * units[link];
    }
    return new GraphGrowth.Graph(
        atoms.count, Arrays.copyOf(atoms.of, plan.fabric.terminals()), from, to, units, bytes);
  }

  /**
   * The most partitions of a run: as many as its options state, else as many as make it short. Where periods or calls
   * may recur on the whole fabric it is one, as they are skipped there alone.
   */
  static int most(NetworkPlan plan, RunOptions options) {
    boolean recurs = options.toCompletion() && options.windowStartPs() == 0 && !plan.transports && !plan.loses
        && !plan.fabric.drawsRoutes();
    int parts = Math.min(MOST_SUITED, plan.links / LINKS_OF_PART);
    int suited = recurs || options.sampling() > 0 || parts < LEAST_SUITED ? 1 : parts;
    return options.partitions() > 0 ? options.partitions() : suited;
  }

  /** Reason for one partition where more were asked for. */
  Optional<String> obstacle() {
    return obstacle.isEmpty() ? Optional.empty() : Optional.of(obstacle);
  }

  /** The partitions that may hand anything to one. */
  int[] senders(int partition) {
    return senders[partition];
  }

  /** The least delay of anything that another hands to a partition, in picoseconds; greater than any without others. */
  long leastDelayTo(int partition) {
    return leastTo[partition];
  }

  /** The least of all delays between partitions. */
  long leastDelay() {
    return Arrays.stream(leastTo).min().orElse(Long.MAX_VALUE);
  }

  // Switches that reduce are one partition with all ranks: a rank that comes to a collective lets their programs run.
  private static String indivisible(NetworkPlan plan, Atoms atoms) {
    int[] aggregators = plan.fabric.terminals(DeviceKind.AGGREGATOR);
    if (Arrays.stream(aggregators).anyMatch(unit -> plan.oneTier || plan.fabric.node(unit) < 0)) {
      return "switches reduce, and take part in a collective as soon as a rank comes to it";
    }
    if (plan.loses && leastLoss(plan) == 0) {
      return "links lose packets, and one has no latency";
    }
    if (IntStream.range(0, plan.links)
        .anyMatch(link -> betweenNodes(plan, link) && plan.specs[plan.spec[link]].halfDuplex())) {
      return "both directions of a link share a wire, and take turns without delay";
    }
    return atoms.count > 1 ? "" : "the fabric is one node, or its links have no latency";
  }

  private static boolean betweenNodes(NetworkPlan plan, int link) {
    return plan.oneTier || plan.fabric.linkTier(link) > 0;
  }

  // A lost unit passes from and to its sender in the latency of its way, which has a link between nodes.
  private static long leastLoss(NetworkPlan plan) {
    return IntStream.range(0, plan.links).filter(link -> betweenNodes(plan, link))
        .mapToLong(link -> plan.latencyPs[link]).min().orElse(Long.MAX_VALUE);
  }

  // A channel without any limit takes no credit, so that none returns.
  private static long leastReturn(NetworkPlan plan, int link) {
    int first = plan.firstChannel[link];
    int last = first + plan.specs[plan.spec[link]].credits().size();
    return IntStream.range(first, last).filter(channel -> !plan.isUnlimited(channel))
        .mapToLong(channel -> plan.returnPs[channel]).min().orElse(Long.MAX_VALUE);
  }

  private void connect(NetworkPlan plan) {
    long[][] least = new long[partitions][];
    long any = plan.loses && partitions > 1 ? leastLoss(plan) : Long.MAX_VALUE;
    for (int to = 0; to < partitions; to++) {
      least[to] = new long[partitions];
      Arrays.fill(least[to], any);
    }
    for (int link = 0; link < plan.links; link++) {
      int from = partitionOf[plan.linkSource[link]];
      int to = partitionOf[plan.linkTarget[link]];
      if (from != to) {
        least[to][from] = Math.min(least[to][from], plan.latencyPs[link]);
        least[from][to] = Math.min(least[from][to], leastReturn(plan, link));
      }
    }
    for (int to = 0; to < partitions; to++) {
      int self = to;
      senders[to] = IntStream.range(0, partitions)
          .filter(from -> from != self && least[self][from] < Long.MAX_VALUE).toArray();
      leastTo[to] = Arrays.stream(senders[to]).mapToLong(from -> least[self][from]).min().orElse(Long.MAX_VALUE);
    }
  }

  /** Sets of devices that no division separates, numbered by their first devices. */
  private static final class Atoms {
    final int[] of;
    final int count;
    private final int[] leader;

    Atoms(NetworkPlan plan) {
      leader = IntStream.range(0, plan.devices).toArray();
      joinNodes(plan);
      for (int link = 0; link < plan.links; link++) {
        if (plan.latencyPs[link] == 0 || leastReturn(plan, link) == 0) {
          join(plan.linkSource[link], plan.linkTarget[link]);
        }
      }
      of = new int[plan.devices];
      int found = 0;
      int[] numbers = new int[plan.devices];
      Arrays.fill(numbers, NONE);
      for (int device = 0; device < plan.devices; device++) {
        int first = find(device);
        if (numbers[first] == NONE) {
          numbers[first] = found++;
        }
        of[device] = numbers[first];
      }
      count = found;
    }

    private void joinNodes(NetworkPlan plan) {
      if (plan.oneTier) {
        return;
      }
      int nodes = plan.fabric.nodes();
      int[] first = new int[nodes];
      Arrays.fill(first, NONE);
      for (int device = 0; device < plan.devices; device++) {
        int owner = plan.fabric.owner(device);
        if (owner < nodes) {
          first[owner] = first[owner] == NONE ? device : first[owner];
          join(first[owner], device);
        }
      }
    }

    private void join(int one, int other) {
      int a = find(one);
      int b = find(other);
      leader[Math.max(a, b)] = Math.min(a, b);
    }

    private int find(int device) {
      int at = device;
      while (leader[at] != at) {
        leader[at] = leader[leader[at]];
        at = leader[at];
      }
      return at;
    }
  }
}
