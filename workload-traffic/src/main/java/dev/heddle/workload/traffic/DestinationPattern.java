package dev.heddle.workload.traffic;

import dev.heddle.spi.WorkloadContext;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Pattern;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;

/** The destinations of all ranks of a run by a pattern. */
final class DestinationPattern {
  private static final int[] EMPTY = {};

  private final Settings settings;
  private final WorkloadContext context;
  private final int ranks;
  private final int[] permutation;
  private final int[] targets;

  DestinationPattern(Settings settings, WorkloadContext context) {
    this.settings = settings;
    this.context = context;
    this.ranks = context.ranks();
    this.permutation =
        settings.pattern() == Pattern.PERMUTATION ? derangement(ranks, context.random(0, "permutation")) : EMPTY;
    this.targets = settings.targets().stream().mapToInt(Integer::intValue).toArray();
  }

  /** The destinations of one rank, from the first message. */
  Destinations of(int rank) {
    return switch (settings.pattern()) {
      case C1, C2, C3, C4, C5, MIXED -> mixed(rank, random(rank));
      case UNIFORM -> uniform(rank, random(rank));
      case PERMUTATION -> fixed(permutation[rank], rank);
      case SHIFT -> fixed((int) ((rank + (long) settings.shift()) % ranks), rank);
      case BIT_REVERSAL -> fixed(reversed(rank), rank);
      case TRANSPOSE -> fixed(transposed(rank), rank);
      case HOTSPOT -> hotspot(rank, random(rank));
      case INCAST -> incast(rank, random(rank));
      case ALL_TO_ALL -> new InTurn(rank, ranks);
    };
  }

  private RandomStream random(int rank) {
    return context.random(rank, "destinations");
  }

  private Destinations uniform(int rank, RandomStream random) {
    return () -> other(random, rank, 0, ranks);
  }

  private static Destinations fixed(int destination, int rank) {
    int peer = destination == rank ? Destinations.NONE : destination;
    return () -> peer;
  }

  private Destinations mixed(int rank, RandomStream random) {
    double interShare = TrafficWorkload.interShare(settings);
    int node = context.node(rank);
    int first = rank;
    while (first > 0 && context.node(first - 1) == node) {
      first--;
    }
    int end = rank + 1;
    while (end < ranks && context.node(end) == node) {
      end++;
    }
    int from = first;
    int to = end;
    return () -> random.nextDouble() < interShare
        ? outside(random, from, to)
        : other(random, rank, from, to);
  }

  // A rank from first to end - 1 except one, uniformly distributed.
  private static int other(RandomStream random, int rank, int first, int end) {
    int drawn = first + random.nextInt(end - first - 1);
    return drawn < rank ? drawn : drawn + 1;
  }

  // A rank before first or from end on, uniformly distributed.
  private int outside(RandomStream random, int first, int end) {
    int drawn = random.nextInt(ranks - (end - first));
    return drawn < first ? drawn : drawn + (end - first);
  }

  private int reversed(int rank) {
    return Integer.reverse(rank) >>> (Integer.numberOfLeadingZeros(ranks) + 1);
  }

  private int transposed(int rank) {
    int side = (int) Math.round(Math.sqrt(ranks));
    return rank % side * side + rank / side;
  }

  private Destinations hotspot(int rank, RandomStream random) {
    int[] others = without(rank);
    double hotShare = others.length == 0 ? 0 : settings.hotShare().value();
    return () -> random.nextDouble() < hotShare
        ? others[random.nextInt(others.length)]
        : other(random, rank, 0, ranks);
  }

  private Destinations incast(int rank, RandomStream random) {
    boolean target = without(rank).length < targets.length;
    return target ? () -> Destinations.NONE : () -> targets[random.nextInt(targets.length)];
  }

  private int[] without(int rank) {
    return settings.targets().stream().mapToInt(Integer::intValue).filter(target -> target != rank).toArray();
  }

  // A permutation without fixed points, uniformly distributed: shuffles until there is none, 2.7 times on average.
  static int[] derangement(int size, RandomStream random) {
    int[] permutation = new int[size];
    boolean fixedPoint = true;
    while (fixedPoint) {
      fixedPoint = false;
      for (int i = 0; i < size; i++) {
        int j = random.nextInt(i + 1);
        permutation[i] = permutation[j];
        permutation[j] = i;
      }
      for (int i = 0; i < size && !fixedPoint; i++) {
        fixedPoint = permutation[i] == i;
      }
    }
    return permutation;
  }

  private static final class InTurn implements Destinations {
    private final int rank;
    private final int ranks;
    private int distance;

    InTurn(int rank, int ranks) {
      this.rank = rank;
      this.ranks = ranks;
    }

    @Override
    public int next() {
      distance = distance == ranks - 1 ? 1 : distance + 1;
      int peer = rank + distance;
      return peer < ranks ? peer : peer - ranks;
    }
  }
}
