package dev.heddle.collectives.nccl.algorithm;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.StandardTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.Map;
import java.util.Optional;

/**
 * Provider of RCCL on GPUs of AMD: rings over all links of a node, at the rate of RCCL's closed form, and messages
 * between pairs of ranks.
 */
@Plugin(id = "rccl", description = "RCCL on GPUs of AMD: rings over all links of a node, send and receive")
public final class RcclAlgorithmProvider implements CollectiveAlgorithmProvider<RcclAlgorithmProvider.Settings> {
  /**
   * Settings of RCCL.
   *
   * @param version of NCCL that RCCL follows, such as 2.27.7
   * @param environment RCCL's environment variables
   * @param timing times of GPUs, hosts and network; empty in a scenario: those of the cluster's presets
   */
  public record Settings(
      @Setting(value = "version of NCCL that RCCL follows, 2.18 to 2.30", def = "2.27.7") String version,
      @Setting("variables of RCCL, such as {NCCL_PROTO: Simple}") Map<String, String> environment,
      @Setting("rates and times of GPUs, hosts and network, such as {gpu: {preset: nccl-cdna3}, host: {launch: 5 us},"
          + " network: {node: 384 GB/s, latency: 5 us}}; without it, the presets of the accelerators' architecture and"
          + " of the network") Optional<MachineTiming> timing) {
    /** Copies the map. */
    public Settings {
      environment = ImmutableMap.copyOf(environment);
    }
  }

  @Override
  public Optional<String> derived(String setting, Cluster cluster) {
    return setting.equals("timing") ? Optional.of(StandardTiming.text(cluster)) : Optional.empty();
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    NcclConfig config = NcclAlgorithmProvider.config(settings.version(), settings.environment());
    return (cluster, group) -> RcclCommunicator.of(
        cluster, group, config, settings.timing().orElseThrow(NcclAlgorithm::untimed), false);
  }

  /** RCCL with a configuration and the times of a machine. */
  public static CollectiveAlgorithm of(NcclConfig config, MachineTiming timing) {
    return (cluster, group) -> RcclCommunicator.of(cluster, group, config, timing, false);
  }

  /** RCCL in a row of equal calls, as {@link NcclAlgorithmProvider#repeated} has NCCL. */
  public static CollectiveAlgorithm repeated(NcclConfig config, MachineTiming timing) {
    return (cluster, group) -> RcclCommunicator.of(cluster, group, config, timing, true);
  }
}
