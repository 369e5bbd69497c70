package dev.heddle.collectives.nccl.search;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** A cache of results of searches, which depend on their keys alone and may be forgotten; for any number of threads. */
final class SearchCache<K, V> {
  private final Cache<K, V> known;

  /**
   * An empty cache.
   *
   * @param most results that it keeps
   */
  SearchCache(int most) {
    known = CacheBuilder.newBuilder().maximumSize(most).softValues().build();
  }

  /** The result for a key, searched once; a failure of the search is thrown as it is. */
  V get(K key, Supplier<V> search) {
    try {
      return known.get(key, search::get);
    } catch (ExecutionException | UncheckedExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    }
  }
}
