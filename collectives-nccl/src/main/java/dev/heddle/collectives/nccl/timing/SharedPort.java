package dev.heddle.collectives.nccl.timing;

/**
 * The rate of thread blocks that share a port. A block moves its data in part over the port and in part by work of its
 * own, during which it does not use the port, so that the port is idle at times although all blocks together would fill
 * it. Blocks and port form a closed network of queues, whose port serves all blocks present at equal rates. Its
 * throughput depends on the means of the times alone, whatever their distributions [F. Baskett, K. M. Chandy, R. R.
 * Muntz and F. G. Palacios, Open, closed, and mixed networks of queues with different classes of customers, J. ACM 22,
 * 1975], and follows from mean value analysis [M. Reiser and S. S. Lavenberg, J. ACM 27, 1980]. How far single blocks
 * end from the mean is {@link PortSpread}'s.
 */
final class SharedPort {
  private SharedPort() {}

  /**
   * The rate of all blocks together, bytes per nanosecond.
   *
   * @param block rate of one block that has the port to itself
   * @param port rate of the port
   * @param blocks number of blocks, at least 1; between two whole numbers the rate is linear
   */
  static double rate(double block, double port, double blocks) {
    double own = Math.max(0, port / block - 1);
    double before = 0;
    double rate = 0;
    double waiting = 0;
    for (int count = 1; count < blocks + 1; count++) {
      double passing = 1 + waiting;
      before = rate;
      rate = count / (own + passing);
      waiting = rate * passing;
    }
    return port * (rate - (Math.ceil(blocks) - blocks) * (rate - before));
  }
}
