package dev.heddle.hpl;

/** Reach of a communication layer. */
public enum LayerReach {
  /** Within an accelerator or processor: its memory. */
  DEVICE,
  /** Within a node. */
  NODE,
  /** Over the whole system. */
  SYSTEM
}
