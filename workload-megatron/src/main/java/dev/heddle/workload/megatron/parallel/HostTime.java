package dev.heddle.workload.megatron.parallel;

import dev.heddle.spi.Processor;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Time of the host for a kernel that a module of a layer launches from Python, by the architecture of its processor:
 * that of a pass of a linear layer of Transformer Engine, 99.66 us on the Grace of a GB200 and 90.53 us on that of a
 * GH200 [Transformer Engine, issue 2053, August 2025]. It is 2.7 times that of PyTorch's linear layer on the same
 * hosts, for which the same source has 13.48 us on a Xeon Platinum 8480C, and which elsewhere takes 5 to 25 us
 * [Huang, From PyTorch op to kernel launch], of which the middle stands for processors that were not measured.
 */
public final class HostTime {
  /** On a processor that was not measured. */
  public static final SimTime UNMEASURED = SimTime.ofPs(40_500_000);
  private static final SimTime SAPPHIRE_RAPIDS = SimTime.ofPs(36_400_000);
  private static final SimTime GRACE = SimTime.ofPs(95_100_000);

  private HostTime() {}

  /**
   * The time of a kernel.
   *
   * @param processor of the host, where it is known; Emerald Rapids has the cores of Sapphire Rapids
   */
  public static SimTime on(Optional<Processor> processor) {
    return processor.map(host -> switch (host.architecture()) {
      case "sapphire-rapids", "emerald-rapids" -> SAPPHIRE_RAPIDS;
      case "neoverse-v2" -> GRACE;
      default -> UNMEASURED;
    }).orElse(UNMEASURED);
  }
}
