package dev.heddle.collectives.nccl.algorithm;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.util.Map;

/**
 * Provides NCCL: for each collective the algorithm, protocol and channels that its tuner takes on the machine, and how
 * long they take.
 */
public final class NcclAlgorithmProvider implements CollectiveAlgorithmProvider<NcclAlgorithmProvider.Settings> {
  /**
   * Which NCCL, and on what.
   *
   * @param version such as 2.27.7
   * @param environment its variables
   * @param timing what GPUs, hosts and network take
   * @param gpusPerProcess that may write each other's own buffers
   */
  public record Settings(
      @Setting(value = "version of NCCL, 2.8 to 2.30", def = "2.27.7") String version,
      @Setting("variables of NCCL, such as {NCCL_ALGO: Ring}") Map<String, String> environment,
      @Setting("what GPUs, hosts and network take, such as {gpu: {preset: nccl-hopper}, host: {launch: 5 us},"
          + " network: {node: 384 GB/s, latency: 5 us}}") MachineTiming timing,
      @Setting(
          value = "GPUs of a node that one process drives, in their order; they may write each other's own buffers",
          def = "1", min = "1", max = "72") int gpusPerProcess) {
    /** A process for every GPU. */
    public Settings(String version, Map<String, String> environment, MachineTiming timing) {
      this(version, environment, timing, 1);
    }

    /** Copies the map. */
    public Settings {
      environment = ImmutableMap.copyOf(environment);
    }
  }

  /**
   * NCCL of a version with its variables, on a machine.
   *
   * @param gpusPerProcess at least 1
   */
  public static CollectiveAlgorithm of(NcclConfig config, MachineTiming machine, int gpusPerProcess) {
    return new NcclAlgorithm(config, machine, gpusPerProcess);
  }

  @Override
  public String id() {
    return "nccl";
  }

  @Override
  public String description() {
    return "What NCCL's tuner takes on the machine: rings, trees, NVLS, PAT, send and receive";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    NcclVersion version;
    try {
      version = NcclVersion.parse(settings.version());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("version", String.valueOf(e.getMessage()));
    }
    try {
      return new NcclAlgorithm(
          NcclConfig.of(version, settings.environment()), settings.timing(), settings.gpusPerProcess());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("environment", String.valueOf(e.getMessage()));
    }
  }
}
