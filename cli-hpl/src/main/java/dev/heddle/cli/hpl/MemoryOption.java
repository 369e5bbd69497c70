package dev.heddle.cli.hpl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option for the memory of a process, where the cluster does not define it, or the matrix is elsewhere. */
final class MemoryOption {
  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory of a process that its part of the matrix may take, such as '80 GiB'; without it, "
          + "that of the"
          + " accelerator.")
  private @Nullable String memory;

  Optional<DataSize> size() {
    try {
      return Optional.ofNullable(memory).map(DataSize::parse);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", "--memory " + memory + ": " + e.getMessage());
    }
  }
}
