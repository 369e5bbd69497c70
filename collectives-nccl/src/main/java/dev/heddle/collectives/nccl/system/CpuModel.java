package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.Processor;

/**
 * A CPU, identified as NCCL does.
 *
 * @param arch x86_64, arm64 or ppc64
 * @param vendor such as GenuineIntel; empty if the architecture determines it
 * @param family as in CPUID; -1 if unknown
 * @param model as in CPUID; -1 if unknown
 */
public record CpuModel(String arch, String vendor, int family, int model) {
  private static final ConstantTable INTEL_MODELS = ConstantTable.read("intel-models.csv");
  private static final int INTEL_FAMILY = 6;
  private static final int SKYLAKE = 85;
  private static final int SAPPHIRE_RAPIDS = 143;
  private static final int EMERALD_RAPIDS = 207;

  /** The model of a cluster's processor. An x86 processor that is neither AMD's nor Zhaoxin's counts as Intel's. */
  static CpuModel of(Processor processor) {
    return switch (processor.instructionSet()) {
      case ARM -> new CpuModel("arm64", "", -1, -1);
      case POWER -> new CpuModel("ppc64", "", -1, -1);
      default -> switch (processor.vendor()) {
        case AMD -> amd();
        case ZHAOXIN -> new CpuModel("x86_64", "Shanghai", -1, -1);
        default -> new CpuModel("x86_64", "GenuineIntel", INTEL_FAMILY, intelModel(processor.architecture()));
      };
    };
  }

  private static int intelModel(String architecture) {
    return INTEL_MODELS.rows(NcclVersion.LATEST).stream()
        .filter(row -> INTEL_MODELS.cell(row, "architecture").equals(architecture))
        .map(row -> Integer.parseInt(INTEL_MODELS.cell(row, "model"))).findFirst().orElse(SAPPHIRE_RAPIDS);
  }

  /** An Intel Sapphire Rapids, the CPU of most nodes with H100. */
  public static CpuModel sapphireRapids() {
    return new CpuModel("x86_64", "GenuineIntel", INTEL_FAMILY, SAPPHIRE_RAPIDS);
  }

  /** An AMD EPYC. */
  public static CpuModel amd() {
    return new CpuModel("x86_64", "AuthenticAMD", -1, -1);
  }

  /** Whether the CPU is Intel's. */
  public boolean intel() {
    return arch.equals("x86_64") && vendor.equals("GenuineIntel");
  }

  /** Whether the CPU is AMD's. */
  public boolean isAmd() {
    return arch.equals("x86_64") && vendor.equals("AuthenticAMD");
  }

  /** Whether the CPU is an ARM. */
  public boolean arm() {
    return arch.equals("arm64");
  }

  /** Whether the CPU is a POWER. */
  public boolean power() {
    return arch.equals("ppc64");
  }

  /** The bandwidth that NCCL assumes between two such sockets, GB/s. */
  double socketBandwidth(NcclVersion version, ConstantTable constants) {
    return constants.number(version, "socket-" + kind(), "gbps");
  }

  private String kind() {
    if (power()) {
      return "power";
    }
    if (arm()) {
      return "arm";
    }
    if (isAmd()) {
      return "amd";
    }
    if (!intel()) {
      return "zhaoxin";
    }
    if (family != INTEL_FAMILY || model < SKYLAKE) {
      return "broadwell";
    }
    return model >= EMERALD_RAPIDS ? "emerald-rapids" : model >= SAPPHIRE_RAPIDS ? "sapphire-rapids" : "skylake";
  }
}
