package dev.heddle.bench;

import dev.heddle.kernel.KernelLibrary;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** The start of the library of kernels in a virtual machine that has loaded none of its classes. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(10)
public class KernelStartBenchmark {
  /** Data sheets and the names of all tables. */
  @Benchmark
  public int start() {
    return KernelLibrary.load(KernelStartBenchmark.class.getClassLoader()).tables().size();
  }
}
