package dev.heddle.scenario;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.Optional;

/** A comparison on clusters that a user's folder names, with the plug-ins and presets that are installed. */
public interface InstalledSuite extends ValidationSuite {
  /**
   * Runs the comparison, as {@link ValidationSuite#run}, with presets and plug-ins of a registry.
   *
   * @param data a folder of tables; absent: the suite's own
   * @param registry stays open
   */
  ValidationReport run(Optional<Path> data, Registry registry);
}
