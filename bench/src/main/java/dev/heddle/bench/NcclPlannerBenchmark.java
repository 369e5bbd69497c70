package dev.heddle.bench;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Tuner;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** NCCL's planning on HGX H100: the search, the tuner, and the neighbours of all ranks on one channel. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class NcclPlannerBenchmark {
  private static final int PER_NODE = 8;

  /** Nodes of eight GPUs. */
  @Param({"1", "2", "2048"})
  public int nodes;

  private SystemDescription node;
  private Placement placement;
  private CommunicatorTopology channels;
  private Tuner tuner;
  private long bytes;

  /** Plans once. */
  @Setup
  public void plan() throws IOException {
    String file = "hgx-h100.xml";
    try (InputStream in = Objects.requireNonNull(NcclPlannerBenchmark.class.getResourceAsStream(file))) {
      node = SystemXml.read(file, in);
    }
    placement = Placement.even(nodes, PER_NODE);
    channels = search();
    tuner = Tuner.of(channels);
    bytes = 1;
  }

  /** Searches one node and sets up the connections to all others. */
  @Benchmark
  public CommunicatorTopology search() {
    return CommunicatorTopology.plan(placement, rank -> node, NcclConfig.of(NcclVersion.LATEST));
  }

  /** Chooses for sizes that differ. */
  @Benchmark
  public Candidate choose() {
    bytes = bytes * 3 & (1L << 33) - 1 | 1;
    return tuner.choose(Call.of(CollectiveOp.ALL_REDUCE, bytes)).best();
  }

  /** Traverses the ring, and reads the parent and children of every rank. */
  @Benchmark
  public int neighbours() {
    int sum = 0;
    for (int rank = 0; rank < placement.ranks(); rank++) {
      sum += channels.ringNext(1, rank) + channels.treeParent(1, rank) + channels.treeChildren(1, rank).length;
    }
    return sum;
  }
}
