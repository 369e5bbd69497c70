package dev.heddle.engine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Cache of values by collective call, of which a run repeats a few many times.
 *
 * @param <V> type of the values
 */
public final class CallCache<V> {
  private static final int MOST = 1 << 16;

  private final Map<CollectiveCall, V> known = new LinkedHashMap<>();

  /** The value of a call, computed unless it is known. */
  public V get(CollectiveCall call, Function<CollectiveCall, V> workOut) {
    V found = known.get(call);
    if (found == null) {
      if (known.size() == MOST) {
        known.remove(known.keySet().iterator().next());
      }
      found = workOut.apply(call);
      known.put(call, found);
    }
    return found;
  }
}
