package dev.heddle.workload.megatron.parallel;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.workload.megatron.model.ModelShape;
import java.util.List;

/**
 * Low-rank adapters: beside a frozen matrix of {@code n x k} run two trained ones, of {@code r x k} and {@code n x r},
 * in 16 bits [Hu et al. 2021, LoRA, §4.1].
 *
 * @param rank the inner size {@code r}
 * @param modules that have an adapter
 * @param dropout whether inputs of adapters are dropped at random
 */
public record LowRankAdapters(
    @Setting(value = "inner size of an adapter", def = "32", min = "1", max = "65536",
        source = "NeMo, megatron_gpt_finetuning_config: adapter_dim") int rank,
    @Setting(value = "linear layers that have an adapter", def = "[linear-qkv]",
        source = "NeMo, megatron_gpt_finetuning_config: target_modules") List<LinearModule> modules,
    @Setting(value = "whether inputs of adapters are dropped at random", def = "false",
        source = "NeMo, megatron_gpt_finetuning_config: adapter_dropout 0.0") boolean dropout) {
  /** Checks that there is an adapter. */
  public LowRankAdapters {
    modules = ImmutableList.copyOf(modules);
    if (modules.isEmpty()) {
      throw new InvalidSettingException("modules", "no linear layer has an adapter, so that nothing is trained");
    }
  }

  /** Parameters of a layer's adapters. */
  public long layerParameters(ModelShape model) {
    long heads = (long) model.heads() * model.perHead();
    long sum = 0;
    for (LinearModule module : modules) {
      sum += rank * switch (module) {
        case LINEAR_QKV -> model.hidden() + heads + 2L * model.keyHeads() * model.perHead();
        case LINEAR_PROJ -> heads + model.hidden();
        case LINEAR_FC1 -> model.hidden() + (long) model.activation().projections() * model.inner();
        case LINEAR_FC2 -> (long) model.inner() + model.hidden();
      };
    }
    return sum;
  }
}
