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
   */
  public record Settings(
      @Setting(value = "version of NCCL, 2.8 to 2.30", def = "2.27.7") String version,
      @Setting("variables of NCCL, such as {NCCL_ALGO: Ring}") Map<String, String> environment,
      @Setting("what GPUs, hosts and network take") MachineTiming timing) {
    /** Copies the map. */
    public Settings {
      environment = ImmutableMap.copyOf(environment);
    }
  }

  /** NCCL of a version with its variables, on a machine. */
  public static CollectiveAlgorithm of(NcclConfig config, MachineTiming machine) {
    return new NcclAlgorithm(config, machine);
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
      return new NcclAlgorithm(NcclConfig.of(version, settings.environment()), settings.timing());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("environment", String.valueOf(e.getMessage()));
    }
  }
}
