package dev.heddle.cli.hpl;

/** The model of a run's time. */
enum Model {
  /** The original closed form, one layer, leading terms. */
  ORIGINAL,
  /** The layered closed form with one layer. */
  SINGLE,
  /** The layered closed form. */
  LAYERED,
  /** A run of the programs on the cluster's network, as fluid flows. */
  FLOW
}
