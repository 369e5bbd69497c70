package dev.heddle.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version of Heddle, from the jar's manifest. */
final class Version implements IVersionProvider {
  /** The version; {@code development} where classes come from a folder. */
  static String text() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion()).orElse("development");
  }

  @Override
  public String[] getVersion() {
    return new String[] {
        "heddle " + text(),
        "Java " + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + ")"
    };
  }
}
