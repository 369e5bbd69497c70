package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collective.Group;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;

/**
 * The rails of a communicator's rings and trees: those of the NICs by which channels leave and enter nodes. A message
 * takes one only where all channels have one. Where NCCL sends by NVLink and the GPU next to the NIC (PXN), messages
 * take the links of PCIe and the host instead, if these carry the shares of all NICs, as other communicators may use
 * them at the same time. Else messages of rings go by that GPU, and those of trees take the NICs of their own GPUs.
 */
final class ChannelRails {
  private static final Schedule.Rails NONE = (from, to, channel) -> RankSteps.NONE;

  private final CommunicatorTopology channels;
  private final Placement placement;
  private final Group group;
  private final Cluster cluster;

  ChannelRails(CommunicatorTopology channels, Group group, Cluster cluster) {
    this.channels = channels;
    placement = channels.placement();
    this.group = group;
    this.cluster = cluster;
  }

  /**
   * The rails of rings, and the ranks by which they leave nodes.
   *
   * @param rails of messages between nodes
   * @param relayed whether ranks send through the ranks next to the NICs of their channels
   */
  record Exits(Schedule.Rails rails, boolean relayed) {}

  Exits ofRings() {
    int[] nics = placement.nodes() > 1 ? nics() : new int[0];
    Schedule.Rails rails = named(nics, channels::ringRail);
    return new Exits(rails, rails != NONE && !carries(nics, channels::ringRail, false));
  }

  Schedule.Rails ofTrees() {
    int[] rails = placement.nodes() > 1
        ? IntStream.range(0, channels.count()).map(channels::treeRail).toArray() : new int[0];
    int[] nics = placement.nodes() > 1 ? nics() : new int[0];
    IntBinaryOperator position = (channel, node) -> rails[channel];
    Schedule.Rails named = named(nics, position);
    return named != NONE && carries(nics, position, true) ? named : NONE;
  }

  // The rails of channels; none where not all channels have one.
  private Schedule.Rails named(int[] nics, IntBinaryOperator position) {
    boolean named = nics.length > 1 && nics.length < MessageLabel.ROUTES
        && IntStream.range(0, channels.count()).allMatch(
            channel -> IntStream.range(0, placement.nodes()).map(node -> position.applyAsInt(channel, node))
                .allMatch(at -> at >= 0 && at < nics.length));
    return !named ? NONE
        : (from, to, channel) -> placement.node(from) == placement.node(to) ? RankSteps.NONE
            : MessageLabel.rail(
                position.applyAsInt(channel % channels.count(), placement.node(from)), nics.length);
  }

  private int[] nics() {
    int first = cluster.node(group.member(placement.rank(0, 0)));
    return Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == first).toArray();
  }

  // Whether the links of the first node carry the shares of NICs that channels of rings send, or channels of trees send
  // and receive, by GPUs that NCCL does not join to these NICs itself.
  private boolean carries(int[] nics, IntBinaryOperator position, boolean trees) {
    int found = Math.min(channels.graphChannels(), channels.count());
    int[] at = IntStream.range(0, found).map(channel -> position.applyAsInt(channel, 0)).toArray();
    double used = Arrays.stream(at).distinct().count();
    Map<Integer, Double> loads = new TreeMap<>();
    for (int channel = 0; channel < at.length; channel++) {
      int rank = placement.rank(0, trees ? second(channel) : last(channel));
      int net = trees ? channels.treeNet(channel, rank) : channels.ringExit(channel, 0);
      if (channels.relay(rank, net) == rank) {
        continue;
      }
      int own = at[channel];
      double share = cluster.networkLink(nics[own]).rate().bitsPerSecond()
          / (double) Arrays.stream(at).filter(other -> other == own).count() * nics.length / used;
      add(loads, cluster.route(group.member(rank), nics[own]), share);
      if (trees) {
        add(loads, cluster.route(nics[own], group.member(rank)), share);
      }
    }
    return loads.entrySet().stream()
        .allMatch(each -> each.getValue() <= cluster.linkModel(each.getKey()).rate().bitsPerSecond());
  }

  private static void add(Map<Integer, Double> loads, int[] links, double share) {
    for (int link : links) {
      loads.merge(link, share, Double::sum);
    }
  }

  // The place of the last GPU of a channel's ring in the first node.
  private int last(int channel) {
    ChannelGraph ring = channels.node(0).ring();
    return ring.gpu(channel, ring.gpus(channel) - 1);
  }

  // The place of the second GPU of a channel's tree, which other nodes' trees join.
  private int second(int channel) {
    ChannelGraph tree = channels.node(0).tree();
    return tree.gpu(channel, Math.min(1, tree.gpus(channel) - 1));
  }
}
