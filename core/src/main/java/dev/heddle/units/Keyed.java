package dev.heddle.units;

/** A constant that scenarios and the command line know by a key of its own, not by its name in kebab case. */
public interface Keyed {
  /** The key. */
  String key();
}
