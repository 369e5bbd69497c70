package dev.heddle.hpl;

import dev.heddle.spi.InvalidSettingException;

/**
 * An accelerator seen as one large core with one memory controller [MCL-HPL §3.1.1, eq. 6 to 10].
 *
 * @param memoryWords M × W: words of 8 B that all memory controllers move per transfer, at least 1
 * @param memoryRate H: transfers per second, above 0
 * @param cores C: lanes that compute, at least 1
 * @param clock S: cycles per second of the cores, above 0
 * @param flopsPerCycle F: operations per cycle and core, above 0
 */
public record EquivalentAccelerator(
    int memoryWords, double memoryRate, int cores, double clock, double flopsPerCycle) {
  /**
   * Checks the ranges.
   *
   * @throws InvalidSettingException when a value is not positive
   */
  public EquivalentAccelerator {
    if (memoryWords < 1 || cores < 1 || !(memoryRate > 0) || !(clock > 0) || !(flopsPerCycle > 0)) {
      throw new InvalidSettingException(
          "", "all values of an accelerator must be positive: memory words " + memoryWords + ", memory rate "
              + memoryRate + ", cores " + cores + ", clock " + clock + ", operations per cycle " + flopsPerCycle);
    }
  }

  /** The memory's rate, words per second: M × W × H. */
  public double memoryWordsPerSecond() {
    return memoryWords * memoryRate;
  }

  /** The rate of memory per core, words per second [MCL-HPL eq. 6]. */
  public double wordsPerSecondPerCore() {
    return memoryWordsPerSecond() / cores;
  }

  /** The equivalent controller's rate, words per second [MCL-HPL eq. 7]. */
  public double equivalentWordsPerSecond() {
    return memoryWords * wordsPerSecondPerCore();
  }

  /** Operations per second at most, Rpeak [MCL-HPL eq. 10]. */
  public double peakFlops() {
    return cores * flopsPerCycle * clock;
  }

  /**
   * Memory as the first layer, by the equivalent rate.
   *
   * <p>β is equation 9. Equation 8 prints cycles divided by the rate, which is no time; α here is cycles divided by the
   * clock.
   *
   * @param accessCycles cycles of the cores until memory answers
   */
  public CommunicationLayer equivalentMemory(String name, double accessCycles) {
    return new CommunicationLayer(name, accessCycles / clock, 1 / equivalentWordsPerSecond());
  }

  /** Memory as the first layer, by the sum of all controllers' rates: the paper's "simple" variant of figure 3. */
  public CommunicationLayer simpleMemory(String name, double accessCycles) {
    return new CommunicationLayer(name, accessCycles / clock, 1 / memoryWordsPerSecond());
  }
}
