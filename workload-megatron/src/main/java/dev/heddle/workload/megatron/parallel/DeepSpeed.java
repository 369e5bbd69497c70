package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Setting;
import java.util.Optional;

/**
 * Settings of DeepSpeed's ZeRO, the keys of its configuration's {@code zero_optimization}; sizes count parameters
 * [SimAI Table 3]. Gradients are reduced in every micro-batch where they are shared.
 *
 * @param reduceBucketSize parameters whose gradients are reduced at once
 * @param allgatherBucketSize parameters that are gathered at once after the optimizer's step
 * @param prefetchBucketSize parameters that are gathered ahead of their use, where parameters are shared
 * @param maxLiveParameters gathered parameters that a rank holds at most
 * @param paramPersistenceThreshold tensors of fewer parameters are not shared: every rank keeps them whole
 * @param gather collectives that gather shared parameters; without it, by tensor where attention is unfused
 */
public record DeepSpeed(
    @Setting(value = "parameters whose gradients are reduced at once", def = "500000000", min = "1",
        source = "DeepSpeed's default") long reduceBucketSize,
    @Setting(value = "parameters that are gathered at once after the optimizer's step", def = "500000000", min = "1",
        source = "DeepSpeed's default") long allgatherBucketSize,
    @Setting(value = "parameters that are gathered ahead of their use", def = "50000000", min = "0",
        source = "DeepSpeed's default") long prefetchBucketSize,
    @Setting(value = "gathered parameters that a rank holds at most", def = "1000000000", min = "0",
        source = "DeepSpeed's default") long maxLiveParameters,
    @Setting(value = "tensors of fewer parameters stay whole on every rank", def = "100000", min = "0",
        source = "DeepSpeed's default") long paramPersistenceThreshold,
    @Setting(value = "collectives that gather shared parameters; without it, by-tensor where attention is unfused,"
        + " else coalesced",
        source = "DeepSpeed 0.5.9 of 2021-12 is the first that coalesces") Optional<ParameterGather> gather) {}
