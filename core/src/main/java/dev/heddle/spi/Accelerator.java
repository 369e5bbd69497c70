package dev.heddle.spi;

import com.google.common.collect.ImmutableMap;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import java.util.Map;
import java.util.Optional;

/**
 * The datasheet figures of an accelerator, its links excepted.
 *
 * @param name in common use, such as {@code H100 SXM}
 * @param vendor of the accelerator
 * @param architecture in kebab case, such as {@code hopper}
 * @param computeCapability of NVIDIA's CUDA, ten times major plus minor, such as 90; 0 where there is none
 * @param computeUnits streaming multiprocessors, compute units, Xe cores or NeuronCores
 * @param memory capacity of its own memory
 * @param memoryBandwidth peak rate of its own memory
 * @param peak peak dense rates, by precision; an absent precision is not stated
 */
public record Accelerator(
    @Setting("name, such as H100 SXM") String name,
    @Setting("the manufacturer") Vendor vendor,
    @Setting("architecture in kebab case, such as hopper") String architecture,
    @Setting(value = "CUDA compute capability, ten times major plus minor, such as 90; 0: none", def = "0", min = "0",
        max = "999") int computeCapability,
    @Setting(value = "streaming multiprocessors, compute units, Xe cores or NeuronCores", min = "1",
        max = "100000") int computeUnits,
    @Setting("capacity of its own memory") DataSize memory,
    @Setting("peak rate of its own memory") DataRate memoryBandwidth,
    @Setting("peak dense rates by precision: fp64, fp64-matrix, fp32, tf32, fp16, "
        + "bf16, fp8") Map<Precision, ComputeRate> peak) {
  /** Copies the map, keeping its order. */
  public Accelerator {
    peak = ImmutableMap.copyOf(peak);
  }

  /** The peak dense rate of a precision, where it is stated. */
  public Optional<ComputeRate> peak(Precision precision) {
    return Optional.ofNullable(peak.get(precision));
  }

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
}
