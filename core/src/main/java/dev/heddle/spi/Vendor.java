package dev.heddle.spi;

/** Who makes a processor or an accelerator, as far as software treats them apart. */
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
