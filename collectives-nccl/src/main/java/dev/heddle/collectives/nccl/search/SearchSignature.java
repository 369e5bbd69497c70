package dev.heddle.collectives.nccl.search;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.ChannelGraph.Routes;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The inputs of the searches on one node, with its ports and links numbered by the order in which the searches come
 * across them. Communicators on other GPUs of a node, as on each pair of GPUs of a rack, differ in the numbers of their
 * nearest ports alone; their signatures are then equal, and so are the channels that are found, port for port.
 */
final class SearchSignature {
  private static final PathType LOOSEST = PathType.values()[PathType.values().length - 1];

  private final SystemPaths paths;
  private final SystemGraph graph;
  private final PreferredNets preferred;
  private final Capacity capacity;
  private final int[] nets;
  private final int[] places;
  private final int[] linkNumbers;
  private final Hasher hasher = Hashing.sha256().newHasher();
  private final HashCode hash;
  private int links;

  SearchSignature(SystemPaths paths, PreferredNets preferred) {
    this.paths = paths;
    this.preferred = preferred;
    graph = paths.graph();
    capacity = new Capacity(graph);
    nets = order();
    places = new int[nets.length];
    for (int place = 0; place < nets.length; place++) {
      places[nets[place]] = place;
    }
    linkNumbers = new int[graph.links()];
    hash = putAll();
  }

  private int[] order() {
    Set<Integer> order = new LinkedHashSet<>();
    if (graph.nets() > 0) {
      Arrays.stream(preferred.ofAll(LOOSEST)).forEach(order::add);
      IntStream.range(0, graph.nets()).forEach(order::add);
    }
    return order.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The signature; equal for equal inputs, but for collisions of SHA-256. */
  HashCode hash() {
    return hash;
  }

  private HashCode putAll() {
    putNode();
    for (int gpu = 0; gpu < graph.gpus(); gpu++) {
      hasher.putInt(graph.gpu(gpu).sm());
      putPathsOf(gpu);
    }
    PortRates ports = new PortRates(graph);
    for (int net : nets) {
      putPort(net, ports);
    }
    return hasher.hash();
  }

  private void putNode() {
    hasher.putInt(graph.gpus()).putInt(nets.length).putInt(graph.count(NodeType.NVS));
    hasher.putBoolean(graph.count(NodeType.CPU) > 0 && graph.cpu(0).isAmd());
  }

  private void putPathsOf(int gpu) {
    for (int other = 0; other < graph.gpus(); other++) {
      put(paths.gpuToGpu(gpu, other));
    }
    for (int net : nets) {
      put(paths.gpuToNet(gpu, net));
    }
    if (graph.count(NodeType.NVS) > 0) {
      put(paths.toSwitch(gpu));
      put(paths.fromSwitch(gpu));
    }
    int vertex = graph.vertex(NodeType.GPU, gpu);
    for (int link = 0; link < graph.links(); link++) {
      if (graph.from(link) == vertex) {
        put(link);
      }
    }
    if (nets.length > 0) {
      Arrays.stream(preferred.ofEach(LOOSEST)[gpu]).forEach(net -> hasher.putInt(places[net]));
      IntStream.range(0, SystemPaths.MOST_CHANNELS)
          .forEach(channel -> hasher.putInt(places[paths.localNet(gpu, channel)]));
    }
  }

  private void putPort(int net, PortRates ports) {
    Net port = graph.net(net);
    hasher.putBoolean(port.coll()).putDouble(port.latencyUs()).putInt(ports.free(net)).putInt(paths.nearestGpu(net));
    int[] near = paths.localGpus(net);
    hasher.putInt(near.length);
    Arrays.stream(near).forEach(hasher::putInt);
    for (int gpu = 0; gpu < graph.gpus(); gpu++) {
      put(paths.netToGpu(net, gpu));
    }
    int sharing = 0;
    while (!ports.same(nets[sharing], net)) {
      sharing++;
    }
    hasher.putInt(sharing);
  }

  private void put(Path path) {
    hasher.putInt(path.type().ordinal()).putInt(path.megabytes()).putInt(path.hops());
    path.links().forEach(this::put);
  }

  // A link by its number, and with all that the search knows of it where it comes first.
  private void put(int link) {
    boolean first = linkNumbers[link] == 0;
    hasher.putInt(number(link));
    if (first) {
      hasher.putInt(graph.megabytes(link)).putInt(graph.linkType(link).ordinal()).putInt(capacity.traits(link));
      put(graph.reverse(link));
    }
  }

  private int number(int link) {
    if (linkNumbers[link] == 0) {
      linkNumbers[link] = ++links;
    }
    return linkNumbers[link];
  }

  /** A result with each port by its place in the order of the searches. */
  ChannelGraph byPlace(ChannelGraph found) {
    return renumbered(found, places);
  }

  /** A result with ports by place, with each by its number on the node. */
  ChannelGraph byNumber(ChannelGraph found) {
    return renumbered(found, nets);
  }

  private static ChannelGraph renumbered(ChannelGraph found, int[] numbers) {
    Routes routes = found.routes();
    return new ChannelGraph(found.attempt(), found.latencyUs(), found.hops(),
        new Routes(routes.orders(), renumbered(routes.entries(), numbers), renumbered(routes.exits(), numbers)));
  }

  private static int[] renumbered(int[] ports, int[] numbers) {
    return Arrays.stream(ports).map(port -> port < 0 ? port : numbers[port]).toArray();
  }
}
