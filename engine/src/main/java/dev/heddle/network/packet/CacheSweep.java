package dev.heddle.network.packet;

/**
 * A read, in order, of all that a partition's window will read at random, so that the processor has it in a cache close
 * by: reads in order are fetched many at a time, those of events one by one.
 */
final class CacheSweep {
  // Words of a cache line.
  static final int LINE = 8;

  // A line that is read in vain costs a few nanoseconds, one that is missed up to a hundred.
  private static final int LINES_PER_EVENT = 16;

  private final Partition partition;
  private final NetworkState state;
  private final int[] links;
  private long before;
  private long read;

  private CacheSweep(Partition partition, NetworkState state, int[] links) {
    this.partition = partition;
    this.state = state;
    this.links = links;
  }

  /**
   * The sweeps of all partitions.
   *
   * @param partitionOf per device its partition
   */
  static CacheSweep[] of(Partition[] partitions, NetworkPlan plan, NetworkState state, int[] partitionOf) {
    int[] count = new int[partitions.length];
    for (int source : plan.linkSource) {
      count[partitionOf[source]]++;
    }
    CacheSweep[] sweeps = new CacheSweep[partitions.length];
    for (int number = 0; number < partitions.length; number++) {
      sweeps[number] = new CacheSweep(partitions[number], state, new int[count[number]]);
    }
    for (int at = plan.links - 1; at >= 0; at--) {
      int link = plan.bySource[at];
      int number = partitionOf[plan.linkSource[link]];
      sweeps[number].links[--count[number]] = link;
    }
    return sweeps;
  }

  /** Reads, before a window, unless the last one was so short that it read only a small part. */
  void run() {
    long events = partition.events - before;
    before = partition.events;
    long lines = partition.units.allocated() + (long) LINE * links.length;
    if (events * LINES_PER_EVENT < lines) {
      return;
    }
    long sum = partition.units.sweep() + partition.ledger.sweep();
    for (int link : links) {
      sum += state.sweep(link);
    }
    read = sum;
  }

  /** Sum of all words that were read, without a meaning: reads whose result nobody may ask for would be left out. */
  long read() {
    return read;
  }
}
