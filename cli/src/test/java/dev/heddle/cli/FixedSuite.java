package dev.heddle.cli;

import dev.heddle.results.ValidationReport;
import dev.heddle.spi.ValidationSuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A suite of one row that misses its bound where a folder of data is given. */
public final class FixedSuite implements ValidationSuite {
  @Override
  public String id() {
    return "fixed";
  }

  @Override
  public String description() {
    return "One row for tests";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    ValidationReport.Row row = new ValidationReport.Row("4 KiB", OptionalLong.of(4096), 100, 102);
    return new ValidationReport(
        "fixed",
        List.of(new ValidationReport.Table("latency", "made up", "us", List.of(row), data.isPresent() ? 1 : 3)),
        List.of());
  }
}
