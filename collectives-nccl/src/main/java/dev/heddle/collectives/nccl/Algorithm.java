package dev.heddle.collectives.nccl;

import java.util.Arrays;
import java.util.List;

/** An algorithm of NCCL, in the order in which NCCL prefers one of two equally fast. */
public enum Algorithm {
  /** Double binary tree between nodes, chains within. */
  TREE("Tree"),
  /** One ring per channel through all ranks. */
  RING("Ring"),
  /** Reduction in the network, every GPU talks to every head of its node. */
  COLLNET_DIRECT("CollNetDirect"),
  /** Reduction in the network, at the end of a chain within each node. */
  COLLNET_CHAIN("CollNetChain"),
  /** Reduction and multicast in the NVSwitches. */
  NVLS("NVLS"),
  /** NVLS within nodes, a double binary tree between their heads. */
  NVLS_TREE("NVLSTree"),
  /** Parallel aggregated trees. */
  PAT("PAT");

  private final String title;

  Algorithm(String title) {
    this.title = title;
  }

  /** The name in NCCL_ALGO and in NCCL's log. */
  public String title() {
    return title;
  }

  /** Whether the network reduces. */
  public boolean collNet() {
    return this == COLLNET_DIRECT || this == COLLNET_CHAIN;
  }

  /** All names. */
  public static List<String> titles() {
    return Arrays.stream(values()).map(Algorithm::title).toList();
  }
}
