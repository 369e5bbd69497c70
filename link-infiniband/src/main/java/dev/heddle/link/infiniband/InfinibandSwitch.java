package dev.heddle.link.infiniband;

import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;

/** The product: a switch by its data sheet, and the marks of congestion control. */
record InfinibandSwitch(SwitchModel model, QueuePolicy queuePolicy) implements Switch {
  @Override
  public long latencyPs() {
    return model.latencyPs();
  }

  @Override
  public Switching switching() {
    return model.switching();
  }

  @Override
  public Buffering buffering() {
    return model.buffering();
  }

  @Override
  public Arbitration arbitration() {
    return model.arbitration();
  }

  @Override
  public int inputBufferBytes() {
    return model.inputBufferBytes();
  }

  @Override
  public int outputBufferBytes() {
    return model.outputBufferBytes();
  }
}
