package dev.heddle.collectives.nccl.rccl;

import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.Accelerator;
import java.util.Arrays;
import java.util.Optional;

/** An architecture of AMD's GPUs as RCCL distinguishes them [ROCm/rccl, graph/topo.h and graph/tuning.cc]. */
public enum RcclGpu {
  /** MI210, MI250 and MI250X. */
  GFX90A("cdna2", 36, 50, 32),
  /** MI300A, MI300X and MI325X. */
  GFX942("cdna3", 48, 64, 64),
  /** MI350X and MI355X. */
  GFX950("cdna4", 48, 76.8, 64);

  private static final int LATER_MODELS = 22;

  private final String architecture;
  private final double planned;
  private final double link;
  private final int mostChannels;

  RcclGpu(String architecture, double planned, double link, int mostChannels) {
    this.architecture = architecture;
    this.planned = planned;
    this.link = link;
    this.mostChannels = mostChannels;
  }

  /** The architecture of an accelerator; empty if RCCL has no tuning model for it. */
  public static Optional<RcclGpu> of(Accelerator accelerator) {
    return Arrays.stream(values()).filter(each -> each.architecture.equals(accelerator.architecture())).findFirst();
  }

  /** The data rate that RCCL assumes for an xGMI link, GB/s per direction. */
  double plannedLink() {
    return planned;
  }

  /** The data rate of an xGMI link by AMD's data sheets, GB/s per direction. */
  double link() {
    return link;
  }

  /** The most channels of a collective between nodes. */
  int mostChannels() {
    return mostChannels;
  }

  /**
   * The number of the tuning model. The table of known machines gives nodes of 16 dies with 8 NICs, and those of
   * Frontier and LUMI with 8 dies and 4 NICs, models of their own [ROCm/rccl, graph/rome_models.cc].
   *
   * @param nics NICs of a node in use; 0 on a single node
   */
  String model(NcclVersion version, int perNode, int nics) {
    return switch (this) {
      case GFX90A -> perNode == RcclRings.PACKAGED_DIES ? "4" : perNode == 2 * nics && perNode == 8 ? "3" : "0";
      case GFX942 -> "5";
      case GFX950 -> version.since(LATER_MODELS) ? "6" : "0";
    };
  }

  /**
   * Whether LL128 is used: with the known machine of 16 dies; later on MI350, and on nodes of MI300 with four NICs
   * [RCCL's documentation, hardware-specific optimizations].
   */
  boolean usesLl128(NcclVersion version, int perNode, int nics) {
    return switch (this) {
      case GFX90A -> perNode == RcclRings.PACKAGED_DIES;
      case GFX942 -> version.since(LATER_MODELS) && nics == 4;
      case GFX950 -> version.since(LATER_MODELS);
    };
  }

  /** Whether trees with Simple are left out on a single node, and broadcasts with LL count as faster there. */
  boolean favoursRings() {
    return this != GFX90A;
  }
}
