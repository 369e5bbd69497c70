package dev.heddle.collectives.oneccl;

import dev.heddle.collectives.oneccl.NodeRates.Ranks;
import dev.heddle.units.DataSize;

/**
 * The closed form of an all_reduce in which every rank but the first sends all data over the whole path, twice, and a
 * number of links divide the ranks' transfers among them [ALCF eq. 1 to 3 and 7 to 9].
 */
public final class NaiveAllReduce {
  private NaiveAllReduce() {}

  /**
   * The time between nodes: device to host, host to switch, NIC, host to device, addition [ALCF eq. 1].
   *
   * @param rates of a node
   * @param ranks n_t in all, at least 1
   * @param links n_l, at least 1
   * @param size Z, at least 1 B
   * @throws dev.heddle.spi.InvalidSettingException when the size is 0
   * @throws IllegalArgumentException when there is no link
   */
  public static AllReduceTime between(NodeRates rates, Ranks ranks, int links, DataSize size) {
    double turns = turns(ranks, links, size);
    double z = size.bytes();
    return new AllReduceTime(
        0, 0, turns * z / rates.nic().bytesPerSecond(),
        turns * (2 * z / rates.deviceToHost().bytesPerSecond() + z / rates.hostToSwitch().bytesPerSecond()),
        turns * z / rates.reduction().bytesPerSecond());
  }

  /**
   * The time within one node: Xe-Link, addition [ALCF eq. 7].
   *
   * @param rates of the node
   * @param ranks n_t, on one node
   * @param links n_l, the Xe-Links, at least 1
   * @param size Z, at least 1 B
   * @throws dev.heddle.spi.InvalidSettingException when the size is 0
   * @throws IllegalArgumentException when there is no link
   */
  public static AllReduceTime within(NodeRates rates, Ranks ranks, int links, DataSize size) {
    double turns = turns(ranks, links, size);
    double z = size.bytes();
    return new AllReduceTime(
        0, turns * z / rates.xeLink().bytesPerSecond(), 0, 0, turns * z / rates.reduction().bytesPerSecond());
  }

  private static double turns(Ranks ranks, int links, DataSize size) {
    NodeRates.requireData(size);
    if (links < 1) {
      throw new IllegalArgumentException("data take at least 1 link: " + links);
    }
    return 2.0 * (ranks.all() - 1) / links;
  }
}
