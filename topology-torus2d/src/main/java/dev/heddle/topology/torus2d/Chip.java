package dev.heddle.topology.torus2d;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * The interior of a chip. A rank is a logical core of one or two physical ones; it has its share of the chip's memory
 * and DMA engines.
 *
 * @param cores physical cores of a chip
 * @param lnc physical cores of a logical one (logical NeuronCore configuration)
 * @param memory rate of all memories of a chip, reads and writes together
 * @param memoryLatency from a rank to its memory
 * @param engines DMA engines of a physical core
 * @param engineRate of one DMA engine
 * @param fabricLatency from a memory to the chip's links
 * @param fabricRate of the chip's fabric for each rank, where DMA engines are not the bottleneck
 * @param fabricBuffer capacity of each of a rank's queues for data that DMA engines have read and not yet written, and
 * for data in transit to or from the chip's links; absent: unlimited
 * @param forwarding of a chip between its links
 */
public record Chip(
    @Setting(value = "physical cores of a chip", min = "1", max = "64") int cores,
    @Setting(value = "physical cores of a logical one, each of which is a rank", def = "1", min = "1",
        max = "2") int lnc,
    @Setting("rate of all memories of a chip, reads and writes together") DataRate memory,
    @Setting(value = "time from a rank to its memory", def = "0 s") SimTime memoryLatency,
    @Setting(value = "DMA engines of a physical core", def = "16", min = "1", max = "1024") int engines,
    @Setting("rate of one DMA engine") DataRate engineRate,
    @Setting(value = "time from a memory to the chip's links", def = "0 s") SimTime fabricLatency,
    @Setting("rate of the chip's fabric for each rank; without it, that of its DMA "
        + "engines") Optional<DataRate> fabricRate,
    @Setting("capacity of each queue of a rank for data read and not yet written, and in transit to or from the "
        + "chip's links;"
        + " without it, unlimited") Optional<DataSize> fabricBuffer,
    @Setting(value = "forwarding of a chip between its links", def = "{type: generic}") Switch forwarding) {
  /** Logical cores of the chip. */
  int ranks() {
    return cores / lnc;
  }

  /** A rank's share of the memory. */
  DataRate memoryPerRank() {
    return DataRate.ofBitsPerSecond(memory.bitsPerSecond() / ranks());
  }

  /** The bandwidth of a rank's path to the chip's links. */
  DataRate fabricPerRank() {
    return fabricRate.orElse(
        DataRate.ofBitsPerSecond(Math.multiplyExact(engineRate.bitsPerSecond(), (long) engines * lnc)));
  }

  void check() {
    if (cores % lnc != 0) {
      throw new InvalidSettingException("chip", "lnc: a chip of " + cores + " cores has none of " + lnc
          + " physical ones each; 1 is possible");
    }
  }
}
