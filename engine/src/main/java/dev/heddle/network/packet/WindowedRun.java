package dev.heddle.network.packet;

import com.google.common.base.Throwables;
import dev.heddle.network.NetworkException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that run in windows, on threads.
 *
 * <p>In each window a partition runs up to the earliest time at which anything may come to it from another: the next
 * event of any partition, and the least delays on the way. Units and credits for other partitions are handed over at
 * the begin of the next window. Each thread runs a block of partitions, and then those that other threads have not
 * begun.
 */
final class WindowedRun {
  private final Partition[] partitions;
  private final FabricDivision division;
  private final int threads;
  private final long until;
  // Per partition its next event, then the earliest that may come about in it, and the end of its window.
  private final long[] earliest;
  private final long[] end;
  private final AtomicIntegerArray claimed;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final WindowBarrier ran;
  private int window;
  private boolean over;

  WindowedRun(Partition[] partitions, FabricDivision division, int threads, long until) {
    this.partitions = partitions;
    this.division = division;
    this.threads = threads;
    this.until = until;
    earliest = new long[partitions.length];
    end = new long[partitions.length];
    claimed = new AtomicIntegerArray(partitions.length);
    // All workers must see the same failures between two windows, or one waits for another that has left.
    ran = new WindowBarrier(threads, this::turn);
  }

  /** Runs all events before the time. */
  void run() {
    turn();
    Thread[] helpers = new Thread[threads - 1];
    for (int i = 0; i < helpers.length; i++) {
      int worker = i + 1;
      helpers[i] = new Thread(() -> work(worker), "heddle-partition-" + worker);
      helpers[i].setDaemon(true);
      helpers[i].start();
    }
    work(0);
    boolean interrupted = false;
    for (Thread helper : helpers) {
      try {
        helper.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
      throw new NetworkException("the run was interrupted");
    }
    Throwable failed = failure.get();
    if (failed != null) {
      Throwables.throwIfUnchecked(failed);
    }
    for (int partition = 0; partition < partitions.length; partition++) {
      receive(partition);
    }
  }

  private void work(int worker) {
    int first = (int) ((long) worker * partitions.length / threads);
    while (!over) {
      int now = window;
      try {
        for (int i = 0; i < partitions.length; i++) {
          int partition = first + i < partitions.length ? first + i : first + i - partitions.length;
          if (claimed.get(partition) != now && claimed.compareAndSet(partition, now - 1, now)) {
            receive(partition);
            partitions[partition].run(end[partition]);
          }
        }
      } catch (RuntimeException | Error e) {
        failure.compareAndSet(null, e);
      }
      if (Thread.currentThread().isInterrupted()) {
        failure.compareAndSet(null, new NetworkException("the run was interrupted"));
      }
      ran.await();
    }
  }

  private void receive(int partition) {
    for (int sender : division.senders(partition)) {
      partitions[sender].outbox[partition].drainTo(partitions[partition]);
    }
  }

  // Ends a window, and plans the next.
  private void turn() {
    try {
      plan();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      over = true;
    }
  }

  private void plan() {
    window++;
    long first = Long.MAX_VALUE;
    for (int i = 0; i < partitions.length; i++) {
      long next = partitions[i].queue.nextTime();
      for (int sender : division.senders(i)) {
        next = Math.min(next, partitions[sender].outbox[i].turn());
      }
      earliest[i] = next;
      first = Math.min(first, next);
    }
    over = failure.get() != null || first >= until;
    boolean changed = !over;
    while (changed) {
      changed = false;
      for (int i = 0; i < partitions.length; i++) {
        long arrival = arrival(i);
        end[i] = Math.min(until, arrival);
        if (arrival < earliest[i]) {
          earliest[i] = arrival;
          changed = true;
        }
      }
    }
  }

  // The earliest time at which anything may come to a partition.
  private long arrival(int partition) {
    int[] senders = division.senders(partition);
    long[] delays = division.delays(partition);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < senders.length; i++) {
      long next = earliest[senders[i]];
      if (next < Long.MAX_VALUE - delays[i]) {
        least = Math.min(least, next + delays[i]);
      }
    }
    return least;
  }
}
