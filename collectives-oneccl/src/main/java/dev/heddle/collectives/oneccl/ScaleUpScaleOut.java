package dev.heddle.collectives.oneccl;

import dev.heddle.collectives.oneccl.NodeRates.Ranks;
import dev.heddle.units.DataSize;

/**
 * The closed form of an all_reduce that reduces and scatters within each node, reduces between nodes, and gathers
 * within each node [ALCF §3.1, §4.1]. Nothing overlaps.
 *
 * <p>The document states equations 4 to 6 and 10 for all numbers of ranks, but its tables follow from them only with
 * these assumptions:
 *
 * <ul>
 *   <li>one rank a node: nothing moves within nodes;
 *   <li>two, on one GPU: halves cross MDFI twice, and are added once, in place of the Xe-Links' terms;
 *   <li>four and more: n_Xe is half the ranks, and MDFI and additions are hidden behind the Xe-Links [ALCF §3.1];
 *   <li>the number of NICs is that of ranks, up to those of the node;
 *   <li>eq. 6, whose last term is garbled in print, adds {@code 4 Z / (ranks B_PCIe)}: out and back, in both phases;
 *   <li>within one node, two ranks sit on two GPUs and use Xe-Links alone; more add MDFI and one pass of additions to
 *       eq. 10.
 * </ul>
 */
public final class ScaleUpScaleOut {
  private ScaleUpScaleOut() {}

  /**
   * The time between nodes.
   *
   * @param rates of a node
   * @param ranks on at least one node
   * @param size Z, at least 1 B
   * @param hostCopy whether data are copied to the host and back in both phases [ALCF eq. 6]
   * @throws dev.heddle.spi.InvalidSettingException when the size is 0
   */
  public static AllReduceTime between(NodeRates rates, Ranks ranks, DataSize size, boolean hostCopy) {
    NodeRates.requireData(size);
    double z = size.bytes();
    int r = ranks.perNode();
    double nodes = ranks.nodes();
    double nics = rates.nicShare().value() * Math.min(r, rates.nics()) * rates.nic().bytesPerSecond();
    double scaleOut = 2 * z / nics * (nodes - 1) / nodes;
    double copy = hostCopy ? 4 * z / (r * rates.pcie().bytesPerSecond()) : 0;
    if (r == 1) {
      return new AllReduceTime(0, 0, scaleOut, copy, 0);
    }
    if (r == 2) {
      return new AllReduceTime(
          z / rates.mdfi().bytesPerSecond(), 0, scaleOut, copy, z / 2 / rates.reduction().bytesPerSecond());
    }
    double xeLink = 2 * (z / 2) / (r / 2.0 * rates.xeLink().bytesPerSecond());
    return new AllReduceTime(0, xeLink, scaleOut, copy, 0);
  }

  /**
   * The time within one node.
   *
   * @param rates of the node
   * @param ranks on one node; a single one takes no time
   * @param size Z, at least 1 B
   * @throws dev.heddle.spi.InvalidSettingException when the size is 0
   */
  public static AllReduceTime within(NodeRates rates, Ranks ranks, DataSize size) {
    NodeRates.requireData(size);
    int r = ranks.perNode();
    double share = (double) size.bytes() / r;
    double xeLink = r == 1 ? 0 : 2 * share / rates.xeLink().bytesPerSecond();
    if (r <= 2) {
      return new AllReduceTime(0, xeLink, 0, 0, 0);
    }
    return new AllReduceTime(
        2 * share / rates.mdfi().bytesPerSecond(), xeLink, 0, 0, share / rates.reduction().bytesPerSecond());
  }
}
