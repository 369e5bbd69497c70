package dev.heddle.scenario;

/**
 * One thing that is wrong with a scenario.
 *
 * @param file where the value at fault was written: a file, a preset, or an option of the command line
 * @param line within the file, from 1; 0 where it is not known
 * @param path of the field within the scenario, such as {@code cluster.tiers[0].topology.link.rate}; empty for the
 * whole
 * @param message the value, the allowed ones, and the nearest
 */
public record Problem(String file, int line, String path, String message) {
  /** File, line, path and message, as a compiler writes them. */
  @Override
  public String toString() {
    return file + (line > 0 ? ":" + line : "") + ": " + (path.isEmpty() ? "" : path + ": ") + message;
  }
}
