package dev.heddle.collectives.nccl.timing;

/**
 * The ends of channels that share a port. Channels have equal parts of a call, but a port serves the batches of their
 * thread blocks in no order, so that the numbers of batches that it served differ by chance: the times in which a block
 * waits for the port are those of a Poisson process, as in a closed network of queues. The call ends with the last
 * channel, which at last has the port to itself and goes on at the rate of its block.
 */
public final class PortSpread {
  // Data that 512 threads have under way: eight loads of 16 bytes each [NCCL 2.18 to 2.30.7, device/common_kernel.h,
  // ncclCollUnroll of compute capability 8.0 and later; 7.0 has half, which is left out].
  private static final double BATCH = 64 << 10;
  private static final double EULER = 0.577_215_664_9;

  private PortSpread() {}

  /**
   * The time by which the last channel ends after the mean, nanoseconds; 0 if blocks do not wait for their port, or
   * wait for NICs instead.
   *
   * @param channels number of channels that share a port
   * @param data bytes that a channel sends
   * @param times for which these bytes occupy a thread block, the channel's share of the port and that of the NICs
   */
  public static double ns(int channels, double data, CallTime.Resources times) {
    if (channels < 2 || data <= BATCH || times.portNs() <= times.blockNs() || times.portNs() < times.nicNs()) {
      return 0;
    }
    double waiting = 1 - times.blockNs() / times.portNs();
    return last(channels) * times.blockNs() * Math.sqrt(waiting * BATCH / data * (1 - BATCH / data));
  }

  // The expected greatest of so many normal deviates, by its limiting distribution [H. Cramer, Mathematical methods of
  // statistics, 1946, section 28.6].
  private static double last(int channels) {
    double width = Math.sqrt(2 * Math.log(channels));
    double shift = Math.log(Math.log(channels)) + Math.log(4 * Math.PI) - 2 * EULER;
    return Math.max(0, width - shift / (2 * width));
  }
}
