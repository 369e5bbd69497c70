package dev.heddle.workload.megatron.parallel;

/** Collectives by which DeepSpeed gathers parameters that ranks share. */
public enum ParameterGather {
  /**
   * One all_gather into a list of tensors, one for each rank, for each tensor before the module that needs it; the host
   * first waits for all work on the device, and the result and each gradient are copied part by part [DeepSpeed 0.3.15
   * to 0.5.8, partition_parameters.py; PyTorch 1.8, ProcessGroupNCCL].
   */
  BY_TENSOR,
  /** Tensors gathered together, into one buffer and without waits of the host [DeepSpeed from 0.5.9 on]. */
  COALESCED
}
