package dev.heddle.kernel.exchange;

/**
 * The machine that an exchange runs on.
 *
 * @param nodes NVLink domains of the group of ranks
 * @param ranksPerNode ranks of one of them
 * @param units multiprocessors of an accelerator
 * @param channelUnits multiprocessors that the exchange was given, where the kernels are told
 * @param scaleUp rate of an accelerator's NVLink in B/s, one way
 * @param network rate of an accelerator's NIC in B/s, one way
 */
public record ExchangeSite(
    int nodes, int ranksPerNode, int units, int channelUnits, double scaleUp, double network) {
  /** All ranks. */
  public int ranks() {
    return nodes * ranksPerNode;
  }
}
