package dev.heddle.spi;

/** A kind of arithmetic for which hardware states a peak rate of its own. */
public enum Precision {
  /** 64-bit floating point by vector units. */
  FP64,
  /** 64-bit floating point by matrix units. */
  FP64_MATRIX,
  /** 32-bit floating point by vector units. */
  FP32,
  /** 32-bit range with a mantissa of 10 bits, by matrix units. */
  TF32,
  /** 16-bit IEEE floating point by matrix units where there are any. */
  FP16,
  /** 16-bit brain floating point by matrix units where there are any. */
  BF16,
  /** 8-bit floating point by matrix units. */
  FP8
}
