package dev.heddle.cli;

/** Warnings about plug-ins that were found and cannot be used, printed once per command. */
final class Warnings {
  private Warnings() {}

  static void print(Installation installation, Console console, HeddleCommand root) {
    if (!root.quiet()) {
      installation.registry().warnings().forEach(warning -> console.message("heddle: warning: " + warning));
    }
  }
}
