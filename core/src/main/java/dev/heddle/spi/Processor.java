package dev.heddle.spi;

import dev.heddle.spi.Accelerator.Vendor;

/**
 * The datasheet figures of one socket of a host processor, its links excepted.
 *
 * @param name in common use, such as {@code Xeon Platinum 8480C}
 * @param vendor of the processor
 * @param instructionSet that it runs
 * @param architecture in kebab case, such as {@code sapphire-rapids}
 * @param cores of a socket
 */
public record Processor(
    @Setting("name, such as Xeon Platinum 8480C") String name,
    @Setting("the manufacturer") Vendor vendor,
    @Setting(value = "instruction set", def = "x86") InstructionSet instructionSet,
    @Setting("architecture in kebab case, such as sapphire-rapids") String architecture,
    @Setting(value = "cores of a socket", min = "1", max = "10000") int cores) {
  /** The instruction set of a processor, as far as communication libraries distinguish them. */
  public enum InstructionSet {
    /** x86-64. */
    X86,
    /** AArch64. */
    ARM,
    /** Power ISA. */
    POWER,
    /** Any other. */
    OTHER
  }
}
