package dev.heddle.units;

/** A constant whose key in scenarios and on the command line differs from its name in kebab case. */
public interface Keyed {
  /** The key. */
  String key();
}
