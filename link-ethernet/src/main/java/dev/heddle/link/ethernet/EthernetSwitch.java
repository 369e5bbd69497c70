package dev.heddle.link.ethernet;

import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;

/**
 * A switch whose outputs queue in a shared buffer.
 *
 * @param latencyPs time from a packet's eligibility to its earliest departure, in picoseconds
 * @param switching when a packet is eligible
 * @param queuePolicy management of its queues
 */
record EthernetSwitch(long latencyPs, Switching switching, QueuePolicy queuePolicy) implements Switch {
  @Override
  public Buffering buffering() {
    return Buffering.OUTPUT;
  }

  @Override
  public Arbitration arbitration() {
    return Arbitration.ROUND_ROBIN;
  }

  @Override
  public int inputBufferBytes() {
    return 0;
  }

  @Override
  public int outputBufferBytes() {
    return 0;
  }
}
