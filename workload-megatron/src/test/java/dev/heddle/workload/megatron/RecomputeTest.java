package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests full recomputation by the kernels that a job starts. */
class RecomputeTest {
  private static long downs(String parallel, String execution) {
    Training job = Jobs.small(parallel, "global: 16", "recompute: full" + execution);
    List<Kernel> kernels = new Iteration(job, Jobs.nodes(2, 4)).kernels();
    return kernels.stream().filter(kernel -> kernel.name().equals("down")).count();
  }

  // Passes are planned as the first, a middle and the last one of a chunk, so that both counts have the same factor.
  @Test
  void shouldNotRepeatTheLastProductOfABlockWhenRecomputationStopsEarly() {
    long repeated = downs("", "");
    long stopped = downs("", ", early-stop: true");
    assertThat(repeated).isEqualTo(2 * stopped);
  }

  @Test
  void shouldStopEarlyWhereParametersAreShardedAsPyTorchDoesIt() {
    assertThat(downs("sharding: parameters", "")).isEqualTo(downs("sharding: parameters", ", early-stop: true"));
    assertThat(downs("sharding: parameters", ", early-stop: false")).isEqualTo(downs("", ""));
  }
}
