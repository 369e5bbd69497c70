package dev.heddle.collectives.nccl;

import java.util.Arrays;
import java.util.List;

/** An algorithm of NCCL. The order of the constants is NCCL's order of preference among equally fast algorithms. */
public enum Algorithm {
  /** Double binary tree between nodes, chains within nodes. */
  TREE("Tree"),
  /** One ring per channel through all ranks. */
  RING("Ring"),
  /** Reduction in the network; every GPU exchanges data directly with every head of its node. */
  COLLNET_DIRECT("CollNetDirect"),
  /** Reduction in the network; a chain within each node ends at the rank that sends to the network. */
  COLLNET_CHAIN("CollNetChain"),
  /** Reduction and multicast in the NVSwitches. */
  NVLS("NVLS"),
  /** NVLS within nodes, a double binary tree between their heads. */
  NVLS_TREE("NVLSTree"),
  /** Parallel aggregated trees: each message carries the blocks of many ranks. */
  PAT("PAT");

  private final String title;

  Algorithm(String title) {
    this.title = title;
  }

  /** The name in NCCL_ALGO and in NCCL's log. */
  public String title() {
    return title;
  }

  /** Whether the network's switches reduce. */
  public boolean collNet() {
    return this == COLLNET_DIRECT || this == COLLNET_CHAIN;
  }

  /** The names of all algorithms, in order. */
  public static List<String> titles() {
    return Arrays.stream(values()).map(Algorithm::title).toList();
  }
}
