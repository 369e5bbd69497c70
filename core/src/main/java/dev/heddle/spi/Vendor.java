package dev.heddle.spi;

/** Manufacturer of a processor or an accelerator, as far as software distinguishes them. */
public enum Vendor {
  /** Intel. */
  INTEL,
  /** AMD. */
  AMD,
  /** NVIDIA. */
  NVIDIA,
  /** Amazon Annapurna: Graviton, Trainium. */
  AMAZON,
  /** IBM. */
  IBM,
  /** Zhaoxin. */
  ZHAOXIN,
  /** Any other. */
  OTHER
}
