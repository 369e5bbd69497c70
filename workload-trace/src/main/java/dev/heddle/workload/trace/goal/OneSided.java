package dev.heddle.workload.trace.goal;

import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.TraceException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The puts of a file and the appends that can take them: a put without any is refused before anything runs. */
final class OneSided {
  private final List<Put> puts = new ArrayList<>();
  private final Map<Integer, Set<Entry>> entries = new LinkedHashMap<>();

  private record Put(int from, int to, long tag, String place) {}

  private record Entry(int from, long tag) {}

  void put(int from, int to, long tag, String place) {
    puts.add(new Put(from, to, tag, place));
  }

  void append(int rank, int allowed, long tag) {
    entries.computeIfAbsent(rank, each -> new LinkedHashSet<>()).add(new Entry(allowed, tag));
  }

  /**
   * Checks that each put can be taken.
   *
   * @throws TraceException with the first that cannot
   */
  void check() {
    for (Put put : puts) {
      Set<Entry> there = entries.getOrDefault(put.to(), Set.of());
      if (!takes(there, put.from(), put.tag()) && !takes(there, GraphBuilder.ANY, put.tag())) {
        throw new TraceException(put.place() + ": no append of rank " + put.to() + " takes this put of rank "
            + put.from() + " with the tag " + put.tag() + "; Portals drops such a message");
      }
    }
  }

  private static boolean takes(Set<Entry> there, int from, long tag) {
    return there.contains(new Entry(from, tag)) || there.contains(new Entry(from, GraphBuilder.ANY));
  }
}
