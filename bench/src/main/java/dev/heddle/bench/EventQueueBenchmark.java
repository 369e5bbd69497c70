package dev.heddle.bench;

import dev.heddle.internal.collect.EventQueue;
import dev.heddle.units.RandomStream;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The hold model [Jones 1986]: pops the next event and pushes it back later, at a constant number of pending events.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class EventQueueBenchmark {
  private static final int HOLDS = 1 << 16;
  private static final int DRAWS = 1 << 16;
  private static final long MEAN_PS = 1_000_000;

  /** The distribution of an event's delay. */
  public enum Increment {
    /** Exponential. */
    EXPONENTIAL,
    /** Nine in ten short, one in ten a hundred times as long. */
    BIMODAL,
    /** One of five constants, as the latencies of links. */
    FIVE_CONSTANTS
  }

  /** Events pending. */
  @Param({"1000", "100000", "1000000"})
  public int pending;

  /** The distribution of delays. */
  @Param
  public Increment increment;

  private EventQueue queue;
  private long[] delays;
  private int next;

  /** Fills the queue and lets it settle. */
  @Setup
  public void fill() {
    RandomStream random = RandomStream.of(1, "bench", increment.name());
    delays = new long[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
      delays[i] = draw(random);
    }
    queue = new EventQueue();
    for (int i = 0; i < pending; i++) {
      queue.push((long) (random.nextDouble() * MEAN_PS), i);
    }
    for (int i = 0; i < 4 * pending; i++) {
      hold();
    }
  }

  private long draw(RandomStream random) {
    switch (increment) {
      case EXPONENTIAL :
        return 1 + (long) (random.nextExponential() * MEAN_PS);
      case BIMODAL :
        return 1 + (long) (random.nextDouble() * (random.nextInt(10) == 0 ? 100 * MEAN_PS : MEAN_PS));
      default :
        return (1 + random.nextInt(5)) * MEAN_PS / 3;
    }
  }

  private void hold() {
    queue.pop();
    queue.push(queue.now() + delays[next++ & (DRAWS - 1)], queue.event());
  }

  /** Pops and pushes. */
  @Benchmark
  @OperationsPerInvocation(HOLDS)
  public long holds() {
    for (int i = 0; i < HOLDS; i++) {
      hold();
    }
    return queue.now();
  }
}
