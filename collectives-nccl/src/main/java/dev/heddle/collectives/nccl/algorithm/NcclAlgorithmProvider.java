package dev.heddle.collectives.nccl.algorithm;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.StandardTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.Map;
import java.util.Optional;

/**
 * Provider of NCCL: each collective runs with the algorithm, protocol and channels that NCCL's tuner chooses for the
 * machine.
 */
@Plugin(id = "nccl",
    description = "NCCL as its tuner chooses on the machine: rings, trees, NVLS, PAT, send and receive")
public final class NcclAlgorithmProvider implements CollectiveAlgorithmProvider<NcclAlgorithmProvider.Settings> {
  /**
   * Settings of NCCL.
   *
   * @param version such as 2.27.7
   * @param environment NCCL's environment variables
   * @param timing times of GPUs, hosts and network; empty in a scenario: those of the cluster's presets
   * @param gpusPerProcess GPUs of a node that one process drives, which may write each other's own buffers
   */
  public record Settings(
      @Setting(value = "version of NCCL, 2.8 to 2.30", def = "2.27.7") String version,
      @Setting("variables of NCCL, such as {NCCL_ALGO: Ring}") Map<String, String> environment,
      @Setting("rates and times of GPUs, hosts and network, such as {gpu: {preset: nccl-hopper}, host: {launch: 5 us},"
          + " network: {node: 384 GB/s, latency: 5 us}}; without it, the presets of the accelerators' architecture and"
          + " of the network") Optional<MachineTiming> timing,
      @Setting(
          value = "GPUs of a node that one process drives, in their order; they may write each other's own buffers",
          def = "1", min = "1", max = "72") int gpusPerProcess) {
    /** Settings with one process for each GPU. */
    public Settings(String version, Map<String, String> environment, MachineTiming timing) {
      this(version, environment, Optional.of(timing), 1);
    }

    /** Copies the map. */
    public Settings {
      environment = ImmutableMap.copyOf(environment);
    }
  }

  /**
   * NCCL with a configuration on a machine.
   *
   * @param gpusPerProcess at least 1
   */
  public static CollectiveAlgorithm of(NcclConfig config, MachineTiming machine, int gpusPerProcess) {
    return new NcclAlgorithm(config, Optional.of(machine), gpusPerProcess);
  }

  /**
   * NCCL in a row of equal calls: pipelines of broadcasts and reductions are those of a call that follows others. A
   * rank of a chain begins the next call when it is done itself, so that a call ends one interval after the one before,
   * not one length of the chain. Schedules, which packets carry out, are as in {@link #of}.
   *
   * @param gpusPerProcess at least 1
   */
  public static CollectiveAlgorithm repeated(NcclConfig config, MachineTiming machine, int gpusPerProcess) {
    return new NcclAlgorithm(config, Optional.of(machine), gpusPerProcess, true);
  }

  @Override
  public Optional<String> derived(String setting, Cluster cluster) {
    return setting.equals("timing") ? Optional.of(StandardTiming.text(cluster)) : Optional.empty();
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new NcclAlgorithm(
        config(settings.version(), settings.environment()), settings.timing(), settings.gpusPerProcess());
  }

  /**
   * The configuration that settings state.
   *
   * @throws InvalidSettingException when the version or a variable is none of NCCL's
   */
  static NcclConfig config(String version, Map<String, String> environment) {
    NcclVersion parsed;
    try {
      parsed = NcclVersion.parse(version);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("version", String.valueOf(e.getMessage()));
    }
    try {
      return NcclConfig.of(parsed, environment);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("environment", String.valueOf(e.getMessage()));
    }
  }
}
