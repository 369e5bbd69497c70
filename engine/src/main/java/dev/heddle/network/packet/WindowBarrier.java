package dev.heddle.network.packet;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a window, at which threads wait for each other. Windows take some ten microseconds, less than a thread
 * that sleeps takes to wake, so that waiting threads spin first where each has a processor, and then take naps.
 */
final class WindowBarrier {
  // About a millisecond.
  private static final int SPINS = 100_000;
  // About the time that a thread takes to wake.
  private static final long NAP_NANOS = 50_000;

  private final int threads;
  private final int spins;
  private final Runnable between;
  private final AtomicInteger arrived = new AtomicInteger();
  private volatile int window;

  /**
   * Makes a barrier.
   *
   * @param threads that wait for each other
   * @param between windows the last to arrive does this, while the others wait; must throw nothing
   */
  WindowBarrier(int threads, Runnable between) {
    this.threads = threads;
    this.between = between;
    spins = threads <= Runtime.getRuntime().availableProcessors() ? SPINS : 0;
  }

  /** Waits until all threads have come here, whether the thread is interrupted or not. */
  void await() {
    int now = window;
    if (arrived.incrementAndGet() == threads) {
      arrived.set(0);
      between.run();
      window = now + 1;
      return;
    }
    for (int spin = 0; spin < spins && window == now; spin++) {
      Thread.onSpinWait();
    }
    while (window == now) {
      LockSupport.parkNanos(this, NAP_NANOS);
    }
  }
}
