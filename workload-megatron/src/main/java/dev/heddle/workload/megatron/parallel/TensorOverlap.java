package dev.heddle.workload.megatron.parallel;

/** Overlap of tensor-parallel communication with matrix products. */
public enum TensorOverlap {
  /** None: every collective blocks. */
  NONE,
  /** Backward collectives that are independent of the current product: Megatron's asynchronous gradient all_reduce. */
  BACKWARD,
  /** Also the gathers and scatters around a product, chunked with it: tensor-parallel overlap of GEMMs. */
  PRODUCTS
}
