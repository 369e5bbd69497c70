package dev.heddle.bench;

import dev.heddle.hpl.CommunicationLayer;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplTime;
import dev.heddle.hpl.LayerExtent;
import dev.heddle.hpl.LayeredHplModel;
import dev.heddle.hpl.OriginalHplModel;
import dev.heddle.hpl.ProcessGrid;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** HPL's models on Fugaku's 152,064 nodes: the sum over 53,349 panels, and the layered closed form. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class HplModelBenchmark {
  private static final double GAMMA = 1 / 3379.17e9;

  private HplProblem problem;
  private CommunicationLayer memory;
  private CommunicationLayer network;

  /** Describes the machine. */
  @Setup
  public void describe() {
    problem = new HplProblem(20_486_016, 384, new ProcessGrid(396, 384));
    memory = new CommunicationLayer("HBM2", 1e-6, 8 / 1024e9);
    network = new CommunicationLayer("TofuD", 1e-6, 8 / 68e9);
  }

  /** Adds all panels up. */
  @Benchmark
  public HplTime panelSum() {
    return OriginalHplModel.panelSum(problem, GAMMA, network);
  }

  /** Evaluates the closed form of two layers. */
  @Benchmark
  public HplTime layered() {
    return LayeredHplModel.time(
        problem, GAMMA, List.of(
            new LayerExtent(memory, problem.grid()), new LayerExtent(network, ProcessGrid.SINGLE)));
  }
}
