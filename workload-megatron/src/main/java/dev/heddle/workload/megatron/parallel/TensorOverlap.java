package dev.heddle.workload.megatron.parallel;

/** How much of tensor-parallel communication runs beside matrix products. */
public enum TensorOverlap {
  /** None: every collective blocks. */
  NONE,
  /** In the backward pass, what does not depend on the product that runs: Megatron's asynchronous gradient all_reduce. */
  BACKWARD,
  /** Also the gathers and scatters around a product, cut into pieces with it: tensor-parallel overlap of GEMMs. */
  PRODUCTS
}
