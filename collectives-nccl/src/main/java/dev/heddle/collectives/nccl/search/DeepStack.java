package dev.heddle.collectives.nccl.search;

import com.google.common.base.Throwables;
import com.google.common.util.concurrent.Uninterruptibles;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A thread whose stack holds a search of a node's channels. The search is recursive, as NCCL's is: a call for each GPU
 * of each channel, which for a rack of 72 GPUs is more than the stacks of some threads hold.
 */
final class DeepStack {
  /** Frames for each GPU of a channel by their size before compilation; untouched pages cost nothing. */
  private static final long BYTES_PER_GPU = 4 * 512;
  private static final long LEAST_BYTES = 1 << 20;

  private DeepStack() {}

  /**
   * The result of a search, in a thread of its own, for which the caller waits.
   *
   * @param gpus GPUs of the node
   * @param channels the most channels that are searched
   */
  static <T> T call(int gpus, int channels, Supplier<T> search) {
    FutureTask<T> task = new FutureTask<>(search::get);
    Thread thread = new Thread(null, task, "channel-search", LEAST_BYTES + BYTES_PER_GPU * gpus * channels);
    thread.setDaemon(true);
    thread.start();
    try {
      return Uninterruptibles.getUninterruptibly(task);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      Throwables.throwIfUnchecked(cause);
      throw new IllegalStateException(cause);
    }
  }
}
