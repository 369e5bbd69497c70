package dev.heddle.collectives.nccl.search;

import com.google.common.hash.HashCode;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.ChannelSearch.Orders;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.function.UnaryOperator;

/**
 * The channels that the searches of one node found, and a cache of them for all nodes of the process with the same
 * {@linkplain SearchSignature signature}. Any number of threads may use it.
 *
 * @param ring channels of rings
 * @param tree channels of trees
 * @param nvls channels of NVLS; none if it is not available
 * @param chain channels of CollNetChain; none without reduction in the network
 * @param direct channels of CollNetDirect; none without reduction in the network
 */
record SearchedGraphs(
    ChannelGraph ring, ChannelGraph tree, ChannelGraph nvls, ChannelGraph chain, ChannelGraph direct) {
  private static final int RINGS = 32;
  private static final int RINGS_BEFORE_25 = 16;
  private static final int MOST_KNOWN = 4_096;

  private static final SearchCache<Key, SearchedGraphs> KNOWN = new SearchCache<>(MOST_KNOWN);

  private record Key(NcclConfig.Identity config, boolean networks, HashCode signature) {}

  /**
   * The channels of a node.
   *
   * @param networks whether the communicator has ranks on other nodes
   */
  static SearchedGraphs of(SystemPaths paths, NcclConfig config, boolean networks) {
    Orders orders = new Orders(new PreferredNets(paths, config), new NextGpus(paths));
    SearchSignature signature = new SearchSignature(paths, orders.nets());
    return KNOWN.get(new Key(config.identity(), networks, signature.hash()),
        () -> searched(paths, orders, config, networks).with(signature::byPlace)).with(signature::byNumber);
  }

  private SearchedGraphs with(UnaryOperator<ChannelGraph> change) {
    return new SearchedGraphs(
        change.apply(ring), change.apply(tree), change.apply(nvls), change.apply(chain), change.apply(direct));
  }

  /** The channels of a node, searched in any case. */
  static SearchedGraphs searched(SystemPaths paths, Orders orders, NcclConfig config, boolean networks) {
    return DeepStack.call(
        paths.graph().gpus(), SystemPaths.MOST_CHANNELS, () -> new Searches(paths, orders, config).all(networks));
  }

  private record Searches(SystemPaths paths, Orders orders, NcclConfig config) {
    SearchedGraphs all(boolean networks) {
      int most = config.version().since(25) ? RINGS : RINGS_BEFORE_25;
      ChannelGraph ring = search(Pattern.RING, false, 1, most);
      ChannelGraph tree = search(Pattern.BALANCED_TREE, false, ring.channels(), ring.channels());
      boolean collNet = networks && config.get(Environment.COLLNET_ENABLE);
      return new SearchedGraphs(
          ring, tree, search(Pattern.NVLS, false, 1, nvls() ? SystemPaths.MOST_CHANNELS : 0),
          search(Pattern.TREE, true, ring.channels(), collNet ? ring.channels() : 0),
          search(Pattern.COLLNET_DIRECT, true, 1, collNet ? SystemPaths.MOST_CHANNELS : 0));
    }

    private ChannelGraph search(Pattern pattern, boolean collNet, int least, int most) {
      GraphSearch search = new GraphSearch(paths, orders, config);
      return most == 0 ? search.none() : search.search(pattern, collNet, least, most);
    }

    private boolean nvls() {
      return config.version().since(17) && config.get(Environment.NVLS_ENABLE) > 0
          && paths.graph().gpus() > 1 && paths.graph().count(NodeType.NVS) > 0;
    }
  }
}
