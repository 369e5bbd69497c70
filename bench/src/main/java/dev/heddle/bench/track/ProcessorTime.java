package dev.heddle.bench.track;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * A profiler of JMH that reports the processor time of the measured process, user and system, per operation. On a
 * shared machine it depends less on other load than elapsed time. Threads of the collector and the compiler count.
 */
public final class ProcessorTime implements InternalProfiler {
  static final String NAME = "processor.time.norm";

  private long beginNs;

  @Override
  public String getDescription() {
    return "Processor time per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    beginNs = processorNs();
  }

  @Override
  @SuppressWarnings("rawtypes") // as JMH declares it
  public Collection<? extends Result> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    long operations = result.getMetadata().getAllOps();
    double perOperation = (processorNs() - beginNs) / (double) Math.max(1, operations);
    return List.of(new ScalarResult(NAME, perOperation, "ns/op", AggregationPolicy.AVG));
  }

  private static long processorNs() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
