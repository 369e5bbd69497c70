package dev.heddle.kernel;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A format of numbers that kernels multiply: bytes of an element of weights and of activations, and its peak rate. */
public enum NumberFormat {
  /** Brain floating point of 16 bits. */
  BF16("bf16", 2, 2, Peak.BITS_16, "bfloat16"),
  /** IEEE floating point of 16 bits. */
  FP16("fp16", 2, 2, Peak.BITS_16, "float16", "half"),
  /** Floating point of 32 bits with a mantissa of 10 bits in products. */
  TF32("tf32", 4, 4, Peak.TF32),
  /** Floating point of 32 bits. */
  FP32("fp32", 4, 4, Peak.FP32, "float32", "float"),
  /** E4M3 with one scale a tensor. */
  FP8("fp8", 1, 1, Peak.BITS_8, "fp8-tensor", "float8"),
  /** E4M3 with a scale for each row of activations and each column of weights. */
  FP8_ROW("fp8-row", 1, 1, Peak.BITS_8),
  /** E4M3 with a scale each 1 x 128 of activations and each 128 x 128 of weights [DeepSeek-V3 §3.3.2]. */
  FP8_BLOCK("fp8-block", 1, 1.03125, Peak.BITS_8, "fp8_block"),
  /** E4M3 with a power of two as scale each 32 elements [OCP Microscaling Formats 1.0]. */
  MXFP8("mxfp8", 1.03125, 1.03125, Peak.BITS_8),
  /** E2M1 with a power of two as scale each 32 elements [OCP Microscaling Formats 1.0]. */
  MXFP4("mxfp4", 0.53125, 0.53125, Peak.BITS_4),
  /** E2M1 with an E4M3 scale each 16 elements [NVIDIA Blackwell]. */
  NVFP4("nvfp4", 0.5625, 0.5625, Peak.BITS_4),
  /** Integers of 8 bits, both factors. */
  INT8("int8", 1, 1, Peak.BITS_8, "sq"),
  /** Weights of 8 bits, multiplied in 16. */
  INT8_WEIGHTS("int8-weights", 1, 2, Peak.BITS_16, "int8_wo"),
  /** Weights of 4 bits, multiplied in 16. */
  INT4_WEIGHTS("int4-weights", 0.5, 2, Peak.BITS_16, "int4_wo"),
  /** Weights in MXFP4, multiplied in 16 bits. */
  MXFP4_WEIGHTS("mxfp4-weights", 0.53125, 2, Peak.BITS_16, "w4a16_mxfp4"),
  /** Weights in MXFP4, activations in MXFP8. */
  MXFP4_MXFP8("mxfp4-mxfp8", 0.53125, 1.03125, Peak.BITS_8, "w4a8_mxfp4_mxfp8"),
  /** Attention in 16 bits whose keys and values are cached in 8. */
  BF16_CACHE8("bf16-cache8", 1, 2, Peak.BITS_16);

  /** The peak rate of a data sheet that a format multiplies at. */
  enum Peak {
    FP32, TF32, BITS_16, BITS_8, BITS_4
  }

  private final String id;
  private final double weightBytes;
  private final double activationBytes;
  private final Peak peak;
  private final List<String> aliases;

  NumberFormat(String id, double weightBytes, double activationBytes, Peak peak, String... aliases) {
    this.id = id;
    this.weightBytes = weightBytes;
    this.activationBytes = activationBytes;
    this.peak = peak;
    this.aliases = List.of(aliases);
  }

  /** The format's name in tables and commands. */
  public String id() {
    return id;
  }

  /** Bytes of an element of weights, or of cached keys and values, with its share of a scale. */
  public double weightBytes() {
    return weightBytes;
  }

  /** Bytes of an element of activations as they are multiplied, with its share of a scale. */
  public double activationBytes() {
    return activationBytes;
  }

  Peak peak() {
    return peak;
  }

  /** Whether activations of 16 bits are cast before they are multiplied. */
  public boolean casts() {
    return activationBytes < 2;
  }

  /** Bytes of an element of results. */
  double resultBytes() {
    return peak == Peak.FP32 || peak == Peak.TF32 ? 4 : 2;
  }

  /** The format of a name, such as {@code bf16}, or {@code bfloat16} as AIConfigurator writes it. */
  public static Optional<NumberFormat> find(String name) {
    return Arrays.stream(values()).filter(format -> format.id.equals(name) || format.aliases.contains(name))
        .findFirst();
  }

  /**
   * The format of a name, as {@link #find} knows them.
   *
   * @throws InvalidSettingException when there is none, naming the nearest
   */
  public static NumberFormat of(String name) {
    return find(name).orElseThrow(() -> {
      List<String> known = Arrays.stream(values()).map(NumberFormat::id).toList();
      return new InvalidSettingException("", "there is no number format '" + name + "'; known are "
          + String.join(", ", known) + NearestMatch.hint(name, known));
    });
  }

  @Override
  public String toString() {
    return id;
  }
}
