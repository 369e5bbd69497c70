package dev.heddle.spi;

/**
 * What a host processor is beside its links, one socket of it.
 *
 * @param name as people say it, such as {@code Xeon Platinum 8480C}
 * @param vendor who makes it
 * @param instructionSet that it runs
 * @param architecture in kebab case, such as {@code sapphire-rapids}
 * @param cores of a socket
 */
public record Processor(
    @Setting("name, such as Xeon Platinum 8480C") String name,
    @Setting("who makes it") Vendor vendor,
    @Setting(value = "instruction set", def = "x86") InstructionSet instructionSet,
    @Setting("architecture in kebab case, such as sapphire-rapids") String architecture,
    @Setting(value = "cores of a socket", min = "1", max = "10000") int cores) {
  /** The language of a processor, as far as communication libraries treat them apart. */
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
