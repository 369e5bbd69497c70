package dev.heddle.topology.torus2d;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One direction of a memory's bus: out of the memory for reads, into it for writes. Both share one wire. The number of
 * crossings of a message is given by its {@link MemoryAccess}.
 *
 * @param rate of reads and writes together
 * @param latency of an access
 * @param reads whether the direction is out of the memory
 * @param buffer data of each queue that DMA engines hold between reading and writing it; empty: any amount
 */
record MemoryBus(DataRate rate, SimTime latency, boolean reads, Optional<DataSize> buffer) implements Link {
  // A descriptor of the DMA engines; nothing is added to it, so its size moves no byte's time.
  private static final int DESCRIPTOR_BYTES = 4096;

  @Override
  public long latencyPs() {
    return latency.ps();
  }

  @Override
  public int maxPayloadBytes() {
    return DESCRIPTOR_BYTES;
  }

  @Override
  public long wirePs(int payloadBytes, int trafficClass) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
    return Math.max(1, rate.wirePs(payloadBytes));
  }

  @Override
  public long wireBytes(int payloadBytes, int trafficClass) {
    return payloadBytes;
  }

  @Override
  public long headPs(int payloadBytes, int trafficClass) {
    return wirePs(Math.min(payloadBytes, DESCRIPTOR_BYTES), trafficClass);
  }

  @Override
  public long ackPs(int payloadBytes, int trafficClass) {
    return wirePs(payloadBytes, trafficClass);
  }

  @Override
  public int memoryTransfers(int trafficClass) {
    MemoryAccess access = MemoryAccess.ofTrafficClass(trafficClass);
    return reads ? access.reads() : access.writes();
  }

  @Override
  public boolean halfDuplex() {
    return true;
  }

  @Override
  public Medium medium() {
    return Medium.MEMORY;
  }

  @Override
  public List<Credits> credits() {
    Credits each = buffer
        .map(room -> new Credits(Math.toIntExact(room.bytes()), Credits.UNLIMITED, 1, false, 0))
        .orElse(Credits.unlimited());
    return Collections.nCopies(reads ? TorusPlanner.QUEUES : 1, each);
  }
}
