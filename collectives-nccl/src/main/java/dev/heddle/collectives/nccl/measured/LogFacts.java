package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Statements of a log about its machine and its library.
 *
 * @param version of NCCL, such as {@code 2.21.5}
 * @param gpu name of the GPUs, as the driver prints it
 * @param nics of a node, by a line {@code # nic: 8 x 400 Gb/s NDR InfiniBand}
 * @param cluster a preset or a file, by a line {@code # cluster: ...}
 * @param environment variables of NCCL that the log shows
 * @param source of the numbers, by a line {@code # source: ...}
 * @param partSizes whether sizes are of one rank's part, as OSU counts, not of all parts, as nccl-tests does
 */
public record LogFacts(Optional<String> version, Optional<String> gpu, Optional<String> nics,
    Optional<String> cluster, Map<String, String> environment, Optional<String> source, boolean partSizes) {
  /** No statements. */
  public static final LogFacts NONE =
      new LogFacts(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), Optional.empty(),
          false);

  /**
   * NCCL as the log states it: a version and variables that are not modelled are left out.
   *
   * @param other version instead of the log's; absent: the log's, or the newest where it has none
   * @param more variables, before those of the log
   */
  public NcclConfig config(Optional<NcclVersion> other, Map<String, String> more) {
    NcclVersion known = other.or(() -> version.flatMap(LogFacts::modelled)).orElse(NcclVersion.LATEST);
    Map<String, String> all = new LinkedHashMap<>();
    environment.forEach((name, value) -> {
      if (modelled(known, name, value)) {
        all.put(name, value);
      }
    });
    all.putAll(more);
    return NcclConfig.of(known, all);
  }

  private static Optional<NcclVersion> modelled(String text) {
    try {
      return Optional.of(NcclVersion.parse(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean modelled(NcclVersion version, String name, String value) {
    try {
      NcclConfig.of(version, Map.of(name, value));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Copies the variables. */
  public LogFacts {
    environment = ImmutableMap.copyOf(environment);
  }
}
