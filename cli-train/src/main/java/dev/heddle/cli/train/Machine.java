package dev.heddle.cli.train;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.workload.megatron.kernel.KernelTiming;

/**
 * The machine of a training job.
 *
 * @param cluster the cluster
 * @param accelerator type of its accelerators
 * @param kernels efficiency of its kernels
 * @param algorithm of its collectives
 */
record Machine(Fabric cluster, Accelerator accelerator, KernelTiming kernels, CollectiveAlgorithm algorithm) {}
