package dev.heddle.workload.megatron.model;

import dev.heddle.spi.InvalidSettingException;

/** The blocks of a layer. In a hybrid pattern each layer is one block [Megatron-Core, hybrid_layer_pattern]. */
public enum LayerKind {
  /** Attention and the dense feed-forward block. */
  ATTENTION_AND_DENSE(true, true, false),
  /** Attention and experts. */
  ATTENTION_AND_EXPERTS(true, false, true),
  /** Attention alone. */
  ATTENTION(true, false, false),
  /** A state-space mixer. */
  STATE_SPACE(false, false, false),
  /** The dense feed-forward block alone. */
  DENSE(false, true, false),
  /** Experts alone. */
  EXPERTS(false, false, true);

  private final boolean attends;
  private final boolean dense;
  private final boolean mixes;

  LayerKind(boolean attends, boolean dense, boolean mixes) {
    this.attends = attends;
    this.dense = dense;
    this.mixes = mixes;
  }

  /** Whether the layer has attention. */
  public boolean attends() {
    return attends;
  }

  /** Whether the layer has a state-space mixer. */
  public boolean scans() {
    return this == STATE_SPACE;
  }

  /** Whether the layer has the dense feed-forward block. */
  public boolean dense() {
    return dense;
  }

  /** Whether the layer has experts. */
  public boolean mixes() {
    return mixes;
  }

  /** Blocks of the layer, each with its normalisation and its residual. */
  public int blocks() {
    return attends && (dense || mixes) ? 2 : 1;
  }

  /**
   * The kind of a layer of a hybrid pattern.
   *
   * @throws InvalidSettingException when the pattern has another character there
   */
  static LayerKind of(String pattern, int layer) {
    return switch (pattern.charAt(layer)) {
      case 'M' -> STATE_SPACE;
      case '*' -> ATTENTION;
      case '-' -> DENSE;
      case 'E' -> EXPERTS;
      default -> throw new InvalidSettingException("pattern", "layer " + (layer + 1) + " is '" + pattern.charAt(layer)
          + "'; allowed are M (state space), * (attention), - (dense block) and E (experts)");
    };
  }
}
