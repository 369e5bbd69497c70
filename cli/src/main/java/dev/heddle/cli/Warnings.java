package dev.heddle.cli;

/** Says once per command what was found on the plug-in path and could not be used. */
final class Warnings {
  private Warnings() {}

  static void print(Installation installation, Console console, HeddleCommand root) {
    if (!root.quiet()) {
      installation.registry().warnings().forEach(warning -> console.message("heddle: warning: " + warning));
    }
  }
}
