package dev.heddle.collectives.oneccl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;

/**
 * The bandwidths of a node's links in one direction, as the closed forms of [ALCF §2] take them.
 *
 * @param gpus of a node
 * @param tiles of a GPU, each of which is a rank at most
 * @param mdfi B_MDFI, between the tiles of a GPU
 * @param xeLink B_Xe, between two GPUs
 * @param nics of a node
 * @param nic B_NIC, of one NIC
 * @param nicShare of the NICs' rate that all of them reach together
 * @param pcie B_PCIe, between a rank and its host, in eq. 6
 * @param deviceToHost B_D2H, in eq. 1
 * @param hostToSwitch B_H2S, in eq. 1
 * @param reduction B_comp, at which a rank adds: that of its memory
 */
public record NodeRates(
    @Setting(value = "GPUs of a node", min = "1", max = "1024") int gpus,
    @Setting(value = "tiles of a GPU, each a rank at most", min = "1", max = "64") int tiles,
    @Setting("rate between the tiles of a GPU") DataRate mdfi,
    @Setting("rate between two GPUs") DataRate xeLink,
    @Setting(value = "NICs of a node", min = "1", max = "1024") int nics,
    @Setting("rate of a NIC") DataRate nic,
    @Setting(value = "share of the NICs' rate that all of them reach together", def = "80 %", min = "1 %",
        max = "100 %",
        source = "[ALCF §3.1], assumption 1") Fraction nicShare,
    @Setting("rate of PCIe between a rank and its host, when data are copied to the host and back [ALCF "
        + "eq. 6]") DataRate pcie,
    @Setting("rate from device to host on the naive path [ALCF eq. 1]") DataRate deviceToHost,
    @Setting("rate from host to PCIe switch on the naive path [ALCF eq. 1]") DataRate hostToSwitch,
    @Setting("rate at which a rank adds, that of its memory") DataRate reduction) {
  /**
   * Ranks on nodes of this kind: one a node, or both tiles of each GPU that takes part.
   *
   * @param nodes at least 1
   * @param perNode ranks of each
   * @throws InvalidSettingException when there are no such nodes, or a node has no place for the ranks
   */
  public Ranks ranks(int nodes, int perNode) {
    if (nodes < 1) {
      throw new InvalidSettingException("nodes", nodes + " nodes; there must be at least 1");
    }
    int most = gpus * tiles;
    if (perNode < 1 || perNode > most || (perNode > 1 && perNode % 2 != 0)) {
      throw new InvalidSettingException(
          "ranksPerNode", perNode + " ranks do not fit on a node of " + gpus + " GPUs of " + tiles
              + " tiles; 1, or an even number up to " + most + ", do");
    }
    return new Ranks(nodes, perNode);
  }

  /**
   * Checks a size.
   *
   * @throws InvalidSettingException when it is 0
   */
  static void requireData(DataSize size) {
    if (size.bytes() == 0) {
      throw new InvalidSettingException("size", "0 B; an all_reduce needs at least 1 B to take a time");
    }
  }

  /**
   * Ranks on nodes.
   *
   * @param nodes that take part
   * @param perNode ranks of each
   */
  public record Ranks(int nodes, int perNode) {
    /** The ranks of all nodes. */
    public int all() {
      return Math.multiplyExact(nodes, perNode);
    }
  }
}
