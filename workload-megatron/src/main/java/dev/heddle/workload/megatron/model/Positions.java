package dev.heddle.workload.megatron.model;

/** Encoding of the positions of tokens. */
public enum Positions {
  /** A learned vector per position, added to the embedding. */
  LEARNED,
  /** Rotations of queries and keys. */
  ROTARY,
  /** Rotations of stretched frequencies that also scale queries and keys [Peng et al., YaRN]. */
  YARN,
  /** Biases of the attention scores. */
  ALIBI,
  /** None: a state-space mixer orders tokens. */
  NONE
}
