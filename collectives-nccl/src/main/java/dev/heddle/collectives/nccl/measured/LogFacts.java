package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;

/**
 * Statements of a log about its machine and its library.
 *
 * @param version of NCCL, such as {@code 2.21.5}
 * @param gpu name of the GPUs, as the driver prints it
 * @param cluster a preset or a file, by a line {@code # cluster: ...}
 * @param environment variables of NCCL that the log shows
 * @param source of the numbers, by a line {@code # source: ...}
 * @param partSizes whether sizes are of one rank's part, as OSU counts, not of all parts, as nccl-tests does
 */
public record LogFacts(Optional<String> version, Optional<String> gpu, Optional<String> cluster,
    Map<String, String> environment, Optional<String> source, boolean partSizes) {
  /** No statements. */
  public static final LogFacts NONE =
      new LogFacts(Optional.empty(), Optional.empty(), Optional.empty(), Map.of(), Optional.empty(), false);

  /** Copies the variables. */
  public LogFacts {
    environment = ImmutableMap.copyOf(environment);
  }
}
