package dev.heddle.network.packet;

import com.google.common.base.Throwables;
import dev.heddle.network.NetworkException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Partitions that run in windows, on threads.
 *
 * <p>In each window a partition runs up to the earliest time at which anything may come to it from another: the next
 * event of any other, and the least delays on the way. A partition without anything to do until then is passed over.
 * Units and credits for other partitions are handed over at the begin of the next window. Each thread runs a block of
 * partitions, and then those that other threads have not begun.
 */
final class WindowedRun {
  private final Partition[] partitions;
  private final CacheSweep[] sweeps;
  private final FabricDivision division;
  private final long leastDelay;
  private final int threads;
  private final long until;
  // Per partition its next event, the end of its window, and whether others have handed anything to it.
  private final long[] next;
  private final long[] end;
  private final boolean[] mail;
  // The partitions that have anything to do in the window.
  private final int[] active;
  private int activeCount;
  private final AtomicIntegerArray claimed;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final WindowBarrier ran;
  private int window;
  private boolean over;

  WindowedRun(Partition[] partitions, CacheSweep[] sweeps, FabricDivision division, int threads, long until) {
    this.partitions = partitions;
    this.sweeps = sweeps;
    this.division = division;
    leastDelay = division.leastDelay();
    this.threads = threads;
    this.until = until;
    next = new long[partitions.length];
    end = new long[partitions.length];
    mail = new boolean[partitions.length];
    active = new int[partitions.length];
    Arrays.setAll(active, i -> i);
    activeCount = active.length;
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
    while (!over) {
      int now = window;
      int count = activeCount;
      int first = (int) ((long) worker * count / threads);
      try {
        for (int i = 0; i < count; i++) {
          int partition = active[first + i < count ? first + i : first + i - count];
          if (claim(partition, now)) {
            sweeps[partition].run();
            if (mail[partition]) {
              receive(partition);
            }
            run(partition);
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

  private void run(int partition) {
    partitions[partition].run(end[partition]);
    ManagedPorts ports = partitions[partition].ports;
    if (ports != null) {
      ports.deferred.sweep(end[partition]);
    }
  }

  // The time of a partition's next event, or of a departure without one.
  private static long nextTime(Partition partition) {
    long event = partition.queue.nextTime();
    return partition.ports == null ? event : Math.min(event, partition.ports.deferred.earliest());
  }

  private boolean claim(int partition, int now) {
    int before = claimed.get(partition);
    return before != now && claimed.compareAndSet(partition, before, now);
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
    Arrays.fill(mail, false);
    for (int i = 0; i < activeCount; i++) {
      next[active[i]] = nextTime(partitions[active[i]]);
    }
    for (int i = 0; i < activeCount; i++) {
      collect(partitions[active[i]].outbox);
    }
    int leader = 0;
    long second = Long.MAX_VALUE;
    for (int i = 1; i < partitions.length; i++) {
      boolean leads = next[i] < next[leader];
      second = Math.min(second, leads ? next[leader] : next[i]);
      leader = leads ? i : leader;
    }
    long first = next[leader];
    over = failure.get() != null || first >= until;
    activeCount = 0;
    for (int i = 0; i < partitions.length && !over; i++) {
      long others = i == leader ? Math.min(second, later(first, leastDelay)) : first;
      end[i] = Math.min(until, later(others, division.leastDelayTo(i)));
      if (mail[i] || next[i] < end[i]) {
        active[activeCount++] = i;
      }
    }
  }

  private void collect(Outbox[] written) {
    for (int to = 0; to < written.length; to++) {
      long least = written[to] == null ? Long.MAX_VALUE : written[to].turn();
      if (least < Long.MAX_VALUE) {
        mail[to] = true;
        next[to] = Math.min(next[to], least);
      }
    }
  }

  private static long later(long time, long delay) {
    return time < Long.MAX_VALUE - delay ? time + delay : Long.MAX_VALUE;
  }
}
