package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * The channels of a communicator: neighbours on each ring, parents and children in each tree, heads of NVLS. Identical
 * nodes are searched once; all else is computed on demand, so that thousands of nodes cost little more than one.
 */
public final class CommunicatorTopology {
  /** The most heads of NVLS on a node [NCCL, NCCL_MAX_NVLS_ARITY]. */
  public static final int MOST_NVLS_HEADS = 32;

  private static final int NONE = -1;
  private static final int HOPPER = 90;
  private static final int BLACKWELL = 100;

  private final Placement placement;
  private final NcclConfig config;
  private final List<NodePlan> plans;
  private final int[] planOfNode;
  private final int[] firstPosition;
  private final int graphChannels;
  private final int[] graphChannel;
  private final int[] tree;
  private final DoubleBinaryTree trees;
  private final List<int[][]> ringPlaces;
  private final List<int[][]> treePlaces;

  private CommunicatorTopology(Placement placement, NcclConfig config, List<NodePlan> plans, int[] planOfNode) {
    this.placement = placement;
    this.config = config;
    this.plans = List.copyOf(plans);
    this.planOfNode = planOfNode;
    trees = new DoubleBinaryTree(placement.nodes());
    firstPosition = new int[placement.nodes() + 1];
    for (int node = 0; node < placement.nodes(); node++) {
      firstPosition[node + 1] = firstPosition[node] + placement.ranks(node);
    }
    graphChannels = least(plan -> Math.min(plan.ring().channels(), plan.tree().channels()));
    List<int[]> copies = copies();
    graphChannel = copies.stream().mapToInt(copy -> copy[0]).toArray();
    tree = copies.stream().mapToInt(copy -> copy[1]).toArray();
    ringPlaces = plans.stream().map(plan -> places(plan.ring())).toList();
    treePlaces = plans.stream().map(plan -> places(plan.tree())).toList();
  }

  /**
   * Plans a communicator.
   *
   * @param placement of its ranks
   * @param node description of a node, by a rank on it; equal descriptions are searched once
   * @throws InvalidSettingException when a file that the configuration names cannot be read or written
   */
  public static CommunicatorTopology plan(Placement placement, IntFunction<SystemDescription> node, NcclConfig config) {
    return plan(placement, node, new NodePlans(config));
  }

  static CommunicatorTopology plan(Placement placement, IntFunction<SystemDescription> node, NodePlans nodes) {
    NcclConfig config = nodes.config();
    record Kind(SystemDescription description, List<Integer> gpus) {}

    Map<Kind, Integer> kinds = new LinkedHashMap<>();
    List<NodePlan> plans = new ArrayList<>();
    int[] planOfNode = new int[placement.nodes()];
    for (int i = 0; i < planOfNode.length; i++) {
      int[] gpus = placement.gpus(i);
      SystemDescription description = node.apply(placement.rank(i, 0));
      Kind kind = new Kind(description, Arrays.stream(gpus).boxed().toList());
      Integer known = kinds.putIfAbsent(kind, plans.size());
      if (known == null) {
        plans.add(nodes.of(description, gpus, placement.nodes() > 1));
      }
      planOfNode[i] = known == null ? plans.size() - 1 : known;
    }
    config.get(Environment.TOPO_DUMP_FILE)
        .ifPresent(file -> dump(file, SystemXml.write(kinds.keySet().iterator().next().description())));
    config.get(Environment.GRAPH_DUMP_FILE).ifPresent(file -> dump(file, GraphXml.write(plans.get(0))));
    return new CommunicatorTopology(placement, config, plans, planOfNode);
  }

  private static void dump(String file, String text) {
    try {
      Files.writeString(Path.of(file), text);
    } catch (IOException e) {
      throw new InvalidSettingException("environment", file + " cannot be written: " + e.getMessage());
    }
  }

  // The place of each GPU on the ring or chain of each channel.
  private static int[][] places(ChannelGraph graph) {
    int[][] places = new int[graph.channels()][];
    for (int channel = 0; channel < places.length; channel++) {
      places[channel] = new int[graph.gpus(channel)];
      for (int at = 0; at < places[channel].length; at++) {
        places[channel][graph.gpu(channel, at)] = at;
      }
    }
    return places;
  }

  private int least(ToIntFunction<NodePlan> value) {
    return plans.stream().mapToInt(value).min().orElseThrow();
  }

  // The graph channel and the tree of each channel. Every graph channel is used twice, with the first and with the
  // second tree.
  private List<int[]> copies() {
    List<int[]> copies = new ArrayList<>();
    for (int i = 0; i < Math.min(2 * graphChannels, mostChannels()); i++) {
      copies.add(new int[] {i % graphChannels, i / graphChannels});
    }
    if (collNet()
        && least(plan -> plan.chain().attempt().speeds().intra() - plan.chain().attempt().speeds().inter()) > 0
        && placement.ranks() > placement.nodes()) {
      repeat(copies, copies.size() + copies.size() / 2);
    }
    boolean wide = config.version().since(18) && least(plan -> plan.paths().graph().leastCapability()) >= HOPPER
        && least(plan -> plan.ring().attempt().speeds().intra()) > 45_000;
    if (wide && placement.nodes() > 1 && copies.size() < 16) {
      repeat(copies, 2 * copies.size());
    }
    int most = Math.min(
        first(config.get(Environment.MAX_NCHANNELS), config.get(Environment.MAX_NRINGS), mostChannels()),
        config.get(Environment.MAX_CTAS).orElse(mostChannels()));
    while (copies.size() > most) {
      copies.remove(copies.size() - 1);
    }
    repeat(copies, Math.max(
        first(config.get(Environment.MIN_NCHANNELS), config.get(Environment.MIN_NRINGS), 0),
        config.get(Environment.MIN_CTAS).orElse(0)));
    return copies;
  }

  private static int first(Optional<Integer> one, Optional<Integer> other, int otherwise) {
    return one.or(() -> other).orElse(otherwise);
  }

  private void repeat(List<int[]> copies, int count) {
    int period = copies.size();
    while (copies.size() < Math.min(count, mostChannels())) {
      copies.add(copies.get(copies.size() - period));
    }
  }

  private int mostChannels() {
    return config.version().since(25) ? 64 : 32;
  }

  /** The placement of the ranks. */
  public Placement placement() {
    return placement;
  }

  /** The version and variables. */
  public NcclConfig config() {
    return config;
  }

  /** The plan of a node. */
  public NodePlan node(int node) {
    return plans.get(planOfNode[node]);
  }

  /** The plan of each kind of node. */
  public List<NodePlan> plans() {
    return plans;
  }

  /** The number of channels of rings and trees. */
  public int count() {
    return graphChannel.length;
  }

  /** Whether the network reduces for this communicator. */
  public boolean collNet() {
    return config.get(Environment.COLLNET_ENABLE) && placement.nodes() > 1
        && placement.nodes() >= config.get(Environment.COLLNET_NODE_THRESHOLD)
        && plans.stream().allMatch(plan -> plan.chain().channels() > 0);
  }

  /** The number of channels that the search found; the channels of {@link #count} are copies of these. */
  public int graphChannels() {
    return graphChannels;
  }

  // The graph channel of a channel on a node. Where a solution crosses between two ports, odd nodes swap the two
  // channels, so that each channel stays on its rail.
  private int ringChannel(int channel, int node) {
    boolean swapped = node(node).ring().crossNic() == 2 && graphChannels % 2 == 0 && node % 2 == 1;
    return swapped ? graphChannel[channel] ^ 1 : graphChannel[channel];
  }

  /** The number of hops from rank 0 to a rank on a channel's ring. */
  public int ringPosition(int channel, int rank) {
    int ranks = placement.ranks();
    return (along(channel, rank) - along(channel, 0) + ranks) % ranks;
  }

  /** The rank at a number of hops after rank 0 on a channel's ring. */
  public int ringRank(int channel, int position) {
    return at(channel, (along(channel, 0) + position) % placement.ranks());
  }

  // The position of a rank, counted from the entry of the ring into the first node.
  private int along(int channel, int rank) {
    int node = placement.node(rank);
    return firstPosition[node]
        + ringPlaces.get(planOfNode[node])[ringChannel(channel, node)][placement.place(rank)];
  }

  private int at(int channel, int position) {
    int found = Arrays.binarySearch(firstPosition, position);
    int node = found >= 0 ? found : -found - 2;
    ChannelGraph ring = node(node).ring();
    return placement.rank(node, ring.gpu(ringChannel(channel, node), position - firstPosition[node]));
  }

  /** The rank to which a rank sends on a channel's ring. */
  public int ringNext(int channel, int rank) {
    return at(channel, (along(channel, rank) + 1) % placement.ranks());
  }

  /** The rank from which a rank receives on a channel's ring. */
  public int ringPrevious(int channel, int rank) {
    return at(channel, (along(channel, rank) + placement.ranks() - 1) % placement.ranks());
  }

  /** The port by which a channel's ring enters a node; -1 if all ranks are on one node. */
  public int ringEntry(int channel, int node) {
    return node(node).ring().entry(ringChannel(channel, node));
  }

  /** The port by which a channel's ring leaves a node; -1 if all ranks are on one node. */
  public int ringExit(int channel, int node) {
    return node(node).ring().exit(ringChannel(channel, node));
  }

  /** The tree between nodes that a channel uses, 0 or 1. */
  public int tree(int channel) {
    return tree[channel];
  }

  /** The parent of a rank in a channel's tree; -1 for the root. */
  public int treeParent(int channel, int rank) {
    int node = placement.node(rank);
    int place = treePlace(channel, rank);
    if (place > 0) {
      return treeRank(channel, node, place - 1);
    }
    int parent = trees.parent(tree[channel], node);
    return parent == DoubleBinaryTree.NONE ? NONE
        : treeRank(channel, parent, childPlace(parent, trees.childNumber(tree[channel], node)));
  }

  /** The children of a rank in a channel's tree: first the next rank of its chain, then those on other nodes. */
  public int[] treeChildren(int channel, int rank) {
    int node = placement.node(rank);
    int place = treePlace(channel, rank);
    int[] children = new int[3];
    int count = 0;
    if (place < placement.ranks(node) - 1) {
      children[count++] = treeRank(channel, node, place + 1);
    }
    for (int which = 0; which < 2; which++) {
      int child = trees.child(tree[channel], node, which);
      if (child != DoubleBinaryTree.NONE && childPlace(node, which) == place) {
        children[count++] = treeRank(channel, child, 0);
      }
    }
    return Arrays.copyOf(children, count);
  }

  private int treePlace(int channel, int rank) {
    return treePlaces.get(planOfNode[placement.node(rank)])[graphChannel[channel]][placement.place(rank)];
  }

  private int treeRank(int channel, int node, int place) {
    return placement.rank(node, node(node).tree().gpu(graphChannel[channel], place));
  }

  // The place of the chain to which a child node connects.
  private int childPlace(int node, int which) {
    Pattern pattern = node(node).tree().pattern();
    boolean second = pattern == Pattern.SPLIT_TREE || pattern == Pattern.BALANCED_TREE && which == 0;
    return second ? Math.min(1, placement.ranks(node) - 1) : 0;
  }

  /** The port by which a rank exchanges data with other nodes in a channel's tree; -1 if all ranks are on one node. */
  public int treeNet(int channel, int rank) {
    ChannelGraph graph = node(placement.node(rank)).tree();
    return treePlace(channel, rank) == 0 ? graph.entry(graphChannel[channel]) : graph.exit(graphChannel[channel]);
  }

  /** The number of the NICs by which a channel's ring leaves a node and enters the next; -1 where these differ. */
  public int ringRail(int channel, int node) {
    int next = (node + 1) % placement.nodes();
    int left = number(node(node), ringExit(channel, node));
    return left == number(node(next), ringEntry(channel, next)) ? left : NONE;
  }

  /** The number of the NICs by which a channel's tree joins all nodes; -1 where these differ. */
  public int treeRail(int channel) {
    int graph = graphChannel[channel];
    int[] numbers = plans.stream()
        .flatMapToInt(plan -> IntStream.of(plan.tree().entry(graph), plan.tree().exit(graph))
            .map(net -> number(plan, net)))
        .distinct().toArray();
    return numbers.length == 1 ? numbers[0] : NONE;
  }

  private static int number(NodePlan plan, int net) {
    return net < 0 ? NONE : plan.paths().graph().net(net).dev();
  }

  /**
   * The rank through whose GPU a rank sends by a port of its node: itself, or with PXN the rank nearest to the port.
   */
  public int relay(int rank, int net) {
    int node = placement.node(rank);
    return placement.rank(node, node(node).paths().relay(placement.place(rank), net));
  }

  /**
   * The heads of CollNetDirect on a node, ascending by port: the ranks that send sums to the network. All nodes have
   * the same number.
   */
  public int[] collNetHeads(int node) {
    ChannelGraph direct = node(node).direct();
    int least = least(plan -> heads(plan.direct()).length);
    return Arrays.stream(heads(direct)).limit(least).map(gpu -> placement.rank(node, gpu)).toArray();
  }

  private static int[] heads(ChannelGraph direct) {
    return IntStream.range(0, direct.channels()).map(channel -> direct.gpu(channel, 0)).distinct().toArray();
  }

  /** The ranks of a node in the order of a channel's chain of CollNetChain; the first sends sums to the network. */
  public int[] collNetChain(int channel, int node) {
    ChannelGraph chain = node(node).chain();
    int which = channel % least(plan -> plan.chain().channels());
    return IntStream.range(0, chain.gpus(which)).map(at -> placement.rank(node, chain.gpu(which, at))).toArray();
  }

  /** Whether NVSwitches reduce. */
  public boolean nvls() {
    return plans.stream().allMatch(plan -> plan.nvls().channels() > 0);
  }

  /** The number of heads of NVLS on every node; 0 without it. */
  public int nvlsHeads() {
    return least(plan -> plan.nvls().channels());
  }

  /** The rank of a head of NVLS on a node. */
  public int nvlsHead(int node, int head) {
    return placement.rank(node, node(node).nvls().gpu(head, 0));
  }

  /** The number of the head of NVLS that a rank is on its node; -1 if it is none. */
  public int nvlsHeadOf(int rank) {
    int node = placement.node(rank);
    for (int head = 0; head < nvlsHeads(); head++) {
      if (nvlsHead(node, head) == rank) {
        return head;
      }
    }
    return NONE;
  }

  /** The port of a head of NVLS; -1 if all ranks are on one node. */
  public int nvlsNet(int node, int head) {
    return node(node).nvls().entry(head);
  }

  /** The number of channels of NVLS and NVLSTree; 0 without NVLS. */
  public int nvlsChannels() {
    if (!nvls()) {
      return 0;
    }
    boolean blackwell = least(plan -> plan.paths().graph().leastCapability()) >= BLACKWELL;
    int standard = !blackwell ? 16 : placement.nodes() > 1 ? 32 : 24;
    return config.get(Environment.NVLS_NCHANNELS).orElse(standard);
  }

  /** The parent of a head in the tree between nodes of a channel of NVLSTree; -1 for the root. */
  public int nvlsTreeParent(int channel, int rank) {
    int parent = trees.parent(channel % 2, placement.node(rank));
    return parent == DoubleBinaryTree.NONE ? NONE : nvlsHead(parent, nvlsHeadOf(rank));
  }

  /** The children of a head in the tree between nodes of a channel of NVLSTree. */
  public int[] nvlsTreeChildren(int channel, int rank) {
    int head = nvlsHeadOf(rank);
    int node = placement.node(rank);
    int[] children = new int[2];
    int count = 0;
    for (int which = 0; which < 2; which++) {
      int child = trees.child(channel % 2, node, which);
      if (child != DoubleBinaryTree.NONE) {
        children[count++] = nvlsHead(child, head);
      }
    }
    return Arrays.copyOf(children, count);
  }
}
