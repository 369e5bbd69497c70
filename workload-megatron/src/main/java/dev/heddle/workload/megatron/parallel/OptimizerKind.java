package dev.heddle.workload.megatron.parallel;

/** Rules of the optimizer's step. */
public enum OptimizerKind {
  /** Two moments for each parameter. */
  ADAM,
  /**
   * One moment, which Newton-Schulz steps make orthogonal, for the matrices of the layers, each whole on one of the
   * ranks that share the optimizer's states; Adam for all else [Jordan et al., Muon; Megatron-Core,
   * layer_wise_optimizer.py].
   */
  MUON
}
