package dev.heddle.hpl;

/** How far a layer of communication reaches. */
public enum LayerReach {
  /** Within an accelerator or processor: its memory. */
  DEVICE,
  /** Within a node. */
  NODE,
  /** Over the whole system. */
  SYSTEM
}
