package dev.heddle.spi;

import dev.heddle.results.ValidationReport;
import java.nio.file.Path;
import java.util.Optional;

/** A comparison of the simulator with measured or published figures, run by {@code heddle validate}. */
public interface ValidationSuite {
  /** The name of the suite on the command line, formed like a provider's id. */
  String id();

  /** The subject of the comparison, in one line. */
  String description();

  /**
   * Runs the comparison.
   *
   * @param data a folder of tables to compare with instead of the suite's own; absent: its own
   * @throws InvalidSettingException when the folder holds no table that the suite can read, or a malformed one; the
   * message names file and line
   */
  ValidationReport run(Optional<Path> data);
}
