package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.units.SimTime;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MegatronWorkloadTest extends WorkloadContract<Training> {
  @Override
  protected Provider<Training, Workload> provider() {
    return new MegatronWorkloadProvider();
  }

  @Override
  protected Cluster cluster(Training settings) {
    return Jobs.nodes(4, 4);
  }

  @Override
  protected List<Training> settings() {
    return List.of(
        Jobs.small("", "global: 16", ""),
        Jobs.small("sharding: optimizer", "global: 64, micro: 2", "gather-overlap: false"),
        Jobs.small("sharding: parameters", "global: 32", "recompute: full"),
        Jobs.small("tensor: 4", "global: 8", "attention: unfused, dropout: true, recompute: selective"),
        Jobs.small("tensor: 4, sequence-parallel: true, pipeline: 2", "global: 8", "tensor-overlap: products"),
        Jobs.small("tensor: 2, pipeline: 4, chunks: 2", "global: 16", "reduce-overlap: false"),
        Jobs.small("pipeline: 4, order: zero-bubble", "global: 32", ""),
        Jobs.small("pipeline: 4, order: gpipe", "global: 32", "message-overlap: true"),
        Jobs.small("context: 2, tensor: 2", "global: 8", ""),
        Jobs.job(
            "{model: {preset: mixtral-8x7b}, parallel: {tensor: 2, sequence-parallel: true,"
                + " expert: 4, expert-tensor: 2,"
                + " sharding: optimizer},"
                + " batch: {global: 8}, execution: {recompute: full}, kernels: {preset: kernels-ampere}}"));
  }

  @Test
  void shouldNameRanksOfAStageAsAlikeUnlessKernelsVary() {
    Cluster cluster = Jobs.nodes(4, 4);
    Training training = Jobs.small("tensor: 2, pipeline: 2", "global: 16", "");
    Iteration iteration = new Iteration(training, cluster);
    Map<Object, List<Integer>> alike = IntStream.range(0, 16).boxed().collect(Collectors.groupingBy(
        rank -> iteration.program(rank).template().orElseThrow().operations(), LinkedHashMap::new,
        Collectors.toList()));
    assertThat(alike.values()).containsExactly(
        IntStream.range(0, 8).boxed().toList(), IntStream.range(8, 16).boxed().toList());
    Training varied = Jobs.job(
        "{model: {preset: mixtral-8x7b}, parallel: {tensor: 2, sequence-parallel: true, expert: 4}, batch: {global: 8},"
            + " execution: {recompute: full}, variation: {jitter: 1 %}, check-memory: false,"
            + " kernels: {preset: kernels-ampere}}");
    WorkloadContext context = new WorkloadContext(cluster, cluster.terminals(DeviceKind.ACCELERATOR), 1, SimTime.ZERO);
    assertThat(new Iteration(varied, cluster).program(0, context).template()).isEmpty();
  }
}
