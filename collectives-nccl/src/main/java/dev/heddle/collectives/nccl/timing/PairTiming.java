package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * What a GPU takes for send and receive, which share a thread block.
 *
 * @param port what all channels together move over the GPU's links
 * @param copy rate of one channel with Simple
 * @param remoteCopy rate of one channel for one message to another node, whose chunks wait for the proxy
 * @param lineCopy rate of one channel with LL
 * @param start of a message
 * @param exchange more of it with Simple within a node, where both ranks first tell each other their buffers
 * @param sharedCopy rate of one channel that messages to other nodes share, each with threads of its own, which do not
 *     wait for the others'; absent where it is not known to be more than {@code copy}
 */
public record PairTiming(
    @Setting("what all channels together move over the GPU's links") DataRate port,
    @Setting("rate of one channel with Simple") DataRate copy,
    @Setting("rate of one channel for one message to another node, whose chunks wait for the proxy") DataRate remoteCopy,
    @Setting("rate of one channel with LL") DataRate lineCopy,
    @Setting("start of a message") SimTime start,
    @Setting(
        value = "more of it with Simple within a node, where both ranks first tell each other their buffers",
        def = "0 s") SimTime exchange,
    @Setting("rate of one channel that several messages to other nodes share; without it, that of one channel") Optional<DataRate> sharedCopy) {
  /** Bytes per nanosecond of one channel that so many messages to other nodes share. */
  double remoteCopy(int messages) {
    return Math.min(sharedCopy.orElse(copy).bytesPerNano(), messages * remoteCopy.bytesPerNano());
  }

  /** What a message within a node takes to start. */
  public SimTime localStart(boolean lines) {
    return lines ? start : SimTime.ofPs(start.ps() + exchange.ps());
  }
}
