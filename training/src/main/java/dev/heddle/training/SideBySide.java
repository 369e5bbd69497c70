package dev.heddle.training;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Tasks that do not depend on one another, on as many threads as there are processors. */
public final class SideBySide {
  private SideBySide() {}

  /** The results by key, in the order of the keys; of several failures that of the first key is thrown. */
  public static <K, V> Map<K, V> results(Map<K, Supplier<V>> work) {
    Map<K, V> results = new LinkedHashMap<>();
    int threads = Math.min(work.size(), Runtime.getRuntime().availableProcessors());
    if (threads < 2) {
      work.forEach((key, each) -> results.put(key, each.get()));
      return results;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads, task -> {
      Thread thread = new Thread(task, "side-by-side");
      thread.setDaemon(true);
      return thread;
    });
    try {
      Map<K, Future<V>> futures = new LinkedHashMap<>();
      work.forEach((key, each) -> futures.put(key, pool.submit(each::get)));
      futures.forEach((key, future) -> results.put(key, result(future)));
      return results;
    } finally {
      pool.shutdownNow();
    }
  }

  private static <V> V result(Future<V> future) {
    try {
      return Uninterruptibles.getUninterruptibly(future);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      Throwables.throwIfUnchecked(cause);
      throw new IllegalStateException(cause);
    }
  }
}
