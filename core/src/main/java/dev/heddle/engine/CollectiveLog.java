package dev.heddle.engine;

import dev.heddle.collective.CollectiveOp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** When the collectives of a run began and ended: from the first member's arrival to the end of the last member's part. */
public final class CollectiveLog {
  /**
   * One collective.
   *
   * @param group number of the group
   * @param sequence how many collectives the group did before
   * @param op what was done
   * @param ranks of the group
   * @param bytes of the largest buffer of any rank
   * @param startPs when the first member came to it
   * @param endPs when the last member's part was done
   * @param parts members whose part is done
   */
  public record Call(
      int group, int sequence, CollectiveOp op, int ranks, long bytes, long startPs, long endPs, int parts) {
    /** Whether all parts are done. */
    public boolean complete() {
      return parts == ranks;
    }

    private Call with(Call other) {
      return new Call(
          group, sequence, op, ranks, bytes, Math.min(startPs, other.startPs), Math.max(endPs, other.endPs),
          parts + other.parts);
    }
  }

  private final Map<Long, Call> calls = new LinkedHashMap<>();
  private final Map<Long, Integer> begun = new LinkedHashMap<>();

  /** The number of the collective that a member of a group comes to now, from 0, however its group does them. */
  public int begin(int group, int rank) {
    return begun.merge((long) group << 32 | rank, 1, Integer::sum) - 1;
  }

  /** A member has done its part of a collective. */
  public void add(Call part) {
    calls.merge((long) part.group() << 32 | part.sequence(), part, Call::with);
  }

  /** Adds what another part of the network has logged. */
  public void add(CollectiveLog other) {
    other.calls.values().forEach(this::add);
  }

  /** The collectives whose parts are all done, in the order of their ends, then of their groups. */
  public List<Call> complete() {
    List<Call> complete = new ArrayList<>(calls.values().stream().filter(Call::complete).toList());
    complete.sort((a, b) -> a.endPs() != b.endPs() ? Long.compare(a.endPs(), b.endPs())
        : a.group() != b.group() ? Integer.compare(a.group(), b.group()) : Integer.compare(a.sequence(), b.sequence()));
    return complete;
  }
}
