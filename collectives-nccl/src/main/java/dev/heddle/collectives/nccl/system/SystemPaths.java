package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.env.NetdevsPolicy;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The paths between GPUs and between GPUs and NICs that NCCL uses: through host memory where GPUs may not access each
 * other or a NIC may not access a GPU, and through the GPU nearest to a NIC where that is faster (PXN).
 */
public final class SystemPaths {
  /** The most channels of a communicator. */
  public static final int MOST_CHANNELS = 64;

  private static final int LOCAL_MEGABYTES = 5_000_000;
  private static final int AMPERE = 80;

  private final SystemGraph graph;
  private final NcclConfig config;
  private final Path[][] gpuToGpu;
  private final Path[][] gpuToNet;
  private final Path[][] netToGpu;
  private final Path[][] gpuToCpu;
  private final Path[][] cpuToGpu;
  private final Path[] toNvs;
  private final Path[] fromNvs;
  private final int[][] relay;
  private final int[][] localGpus;
  private final int[][] ownNets;
  private final int[] nearestGpus;

  private SystemPaths(SystemGraph graph, NcclConfig config) {
    this.graph = graph;
    this.config = config;
    PathSearch search = new PathSearch(graph, !config.get(Environment.NVB_DISABLE));
    gpuToGpu = paths(search, NodeType.GPU, NodeType.GPU);
    gpuToNet = paths(search, NodeType.GPU, NodeType.NET);
    netToGpu = paths(search, NodeType.NET, NodeType.GPU);
    gpuToCpu = paths(search, NodeType.GPU, NodeType.CPU);
    cpuToGpu = paths(search, NodeType.CPU, NodeType.GPU);
    boolean switched = graph.count(NodeType.NVS) > 0;
    toNvs = switched ? column(paths(search, NodeType.GPU, NodeType.NVS)) : new Path[0];
    fromNvs = switched ? paths(search, NodeType.NVS, NodeType.GPU)[0] : new Path[0];
    relay = new int[graph.gpus()][graph.nets()];
    Path[][] netToCpu = paths(search, NodeType.NET, NodeType.CPU);
    Path[][] cpuToNet = paths(search, NodeType.CPU, NodeType.NET);
    setCoherentTypes();
    routePeersThroughHost();
    relayToNets();
    routeNetsThroughHost(netToCpu, cpuToNet);
    localGpus = IntStream.range(0, graph.nets()).mapToObj(this::nearestTo).toArray(int[][]::new);
    ownNets = ownNets();
    nearestGpus = nearestGpus(ownNets);
  }

  /** The paths of a graph. */
  public static SystemPaths of(SystemGraph graph, NcclConfig config) {
    return new SystemPaths(graph, config);
  }

  private Path[][] paths(PathSearch search, NodeType from, NodeType to) {
    Path[][] paths = new Path[graph.count(from)][graph.count(to)];
    for (int j = 0; j < graph.count(to); j++) {
      Path[] all = search.to(graph.vertex(to, j), LOCAL_MEGABYTES);
      for (int i = 0; i < graph.count(from); i++) {
        paths[i][j] = all[graph.vertex(from, i)];
      }
    }
    return paths;
  }

  private static Path[] column(Path[][] paths) {
    return Arrays.stream(paths).map(row -> row[0]).toArray(Path[]::new);
  }

  // Sets the type of paths to a NIC over a coherent link to the CPU, which is a type of its own since 2.27.
  private void setCoherentTypes() {
    if (!config.version().since(27)) {
      return;
    }
    for (Path[][] paths : new Path[][][] {gpuToNet, netToGpu}) {
      for (Path[] row : paths) {
        for (int i = 0; i < row.length; i++) {
          if (row[i].type() == PathType.PHB && row[i].links().stream()
              .anyMatch(link -> graph.linkType(link) == LinkType.C2C)) {
            row[i] = row[i].as(PathType.P2C);
          }
        }
      }
    }
  }

  private void routePeersThroughHost() {
    Path[][] direct = Arrays.stream(gpuToGpu).map(Path[]::clone).toArray(Path[][]::new);
    for (int from = 0; from < graph.gpus(); from++) {
      for (int to = 0; to < graph.gpus(); to++) {
        if (from != to && !direct[from][to].type().atMost(peerLevel())) {
          int cpu = socket(to);
          Path host = gpuToCpu[from][cpu].then(cpuToGpu[cpu][to]);
          gpuToGpu[from][to] = config.get(Environment.SHM_DISABLE) ? host.as(PathType.NET) : host;
        }
      }
    }
  }

  /** The worst type of paths over which two GPUs access each other directly. */
  public PathType peerLevel() {
    if (config.get(Environment.P2P_DISABLE)) {
      return PathType.LOC;
    }
    Optional<PathType> level = config.get(Environment.P2P_LEVEL);
    boolean fewOnAmd = graph.count(NodeType.CPU) > 0 && graph.cpu(0).isAmd() && graph.gpus() <= 2;
    return level.orElse(fewOnAmd ? PathType.SYS : PathType.PXB);
  }

  /** The socket nearest to a GPU. */
  public int socket(int gpu) {
    return IntStream.range(0, graph.count(NodeType.CPU)).boxed()
        .filter(cpu -> gpuToCpu[gpu][cpu].type() != PathType.DIS)
        .min((a, b) -> Integer.compare(gpuToCpu[gpu][a].hops(), gpuToCpu[gpu][b].hops()))
        .orElseThrow();
  }

  /** The worst type of paths between a relaying GPU and its NIC. */
  public PathType relayLevel() {
    return config.version().since(27) && config.get(Environment.PXN_C2C) ? PathType.P2C : PathType.PXB;
  }

  private void relayToNets() {
    Path[][] direct = Arrays.stream(gpuToNet).map(Path[]::clone).toArray(Path[][]::new);
    boolean off = config.get(Environment.PXN_DISABLE) || !config.version().since(12);
    int[] nearest = nearestGpus(ownNets());
    for (int net = 0; net < graph.nets(); net++) {
      int near = off ? -1 : nearest[net];
      for (int gpu = 0; gpu < graph.gpus(); gpu++) {
        relay[gpu][net] = gpu;
        if (near < 0 || near == gpu || !direct[near][net].type().atMost(relayLevel())
            || !gpuToGpu[gpu][near].type().atMost(PathType.NVL)) {
          continue;
        }
        Path own = direct[gpu][net];
        if (direct[near][net].megabytes() > own.megabytes() || !own.type().atMost(PathType.PXN)) {
          gpuToNet[gpu][net] = gpuToGpu[gpu][near].then(direct[near][net]).as(PathType.PXN);
          relay[gpu][net] = near;
        }
      }
    }
  }

  private void routeNetsThroughHost(Path[][] netToCpu, Path[][] cpuToNet) {
    for (int gpu = 0; gpu < graph.gpus(); gpu++) {
      for (int net = 0; net < graph.nets(); net++) {
        if (!gpuDirect(gpu, net, false)) {
          int cpu = socket(gpu);
          netToGpu[net][gpu] = netToCpu[net][cpu].then(cpuToGpu[cpu][gpu]);
          gpuToNet[gpu][net] = gpuToCpu[gpu][cpu].then(cpuToNet[cpu][net]);
          relay[gpu][net] = gpu;
        }
      }
    }
  }

  /** The graph. */
  public SystemGraph graph() {
    return graph;
  }

  /** The path from a GPU to another. */
  public Path gpuToGpu(int from, int to) {
    return gpuToGpu[from][to];
  }

  /** The path from a GPU to a port. */
  public Path gpuToNet(int gpu, int net) {
    return gpuToNet[gpu][net];
  }

  /** The path from a port to a GPU. */
  public Path netToGpu(int net, int gpu) {
    return netToGpu[net][gpu];
  }

  /** The path from a GPU to the NVSwitches. */
  public Path toSwitch(int gpu) {
    return toNvs[gpu];
  }

  /** The path from the NVSwitches to a GPU. */
  public Path fromSwitch(int gpu) {
    return fromNvs[gpu];
  }

  /** The GPU through which a GPU sends by a port: itself, or with PXN the GPU nearest to the port. */
  public int relay(int gpu, int net) {
    return relay[gpu][net];
  }

  /**
   * Whether a port accesses a GPU's memory directly, so that data do not pass through host memory.
   *
   * @param read whether for sends, which read, instead of receives
   */
  public boolean gpuDirect(int gpu, int net, boolean read) {
    if (!graph.net(net).gdr() || !graph.gpu(gpu).gdr() || read && !reads(gpu)) {
      return false;
    }
    PathType standard = config.version().since(27) ? PathType.P2C : PathType.PXB;
    int near = relay[gpu][net];
    PathType distance = near == gpu ? gpuToNet[gpu][net].type() : gpuToNet[near][net].type();
    return distance.atMost(config.get(Environment.NET_GDR_LEVEL).orElse(standard));
  }

  private boolean reads(int gpu) {
    return config.get(Environment.NET_GDR_READ).map(value -> value == 1)
        .orElseGet(() -> graph.gpu(gpu).sm() >= AMPERE || graph.gpus() == 1
            || IntStream.range(0, graph.gpus())
                .anyMatch(other -> other != gpu && gpuToGpu[gpu][other].type() == PathType.NVL));
  }

  /**
   * Whether two GPUs of the node exchange data through NICs: when both reach a NIC without passing the CPU, and faster
   * than each other.
   */
  public boolean throughNetwork(int from, int to) {
    Path direct = gpuToGpu[from][to];
    if (direct.type() == PathType.NET) {
      return true;
    }
    if (graph.nets() == 0 || config.get(Environment.NET_DISABLE_INTRA)) {
      return false;
    }
    Path out = gpuToNet[from][localNet(from, 0)];
    Path in = netToGpu[localNet(to, 0)][to];
    return out.type().atMost(PathType.PXB) && in.type().atMost(PathType.PXB)
        && Math.min(out.megabytes(), in.megabytes()) > direct.megabytes();
  }

  /** The ports nearest to a GPU. */
  public int[] localNets(int gpu) {
    Path best = Arrays.stream(gpuToNet[gpu]).reduce(Path.NONE, (a, b) -> nearer(b, a) ? b : a);
    return IntStream.range(0, graph.nets()).filter(net -> same(gpuToNet[gpu][net], best)).toArray();
  }

  /** The GPUs nearest to a port; callers must not change the array. */
  public int[] localGpus(int net) {
    return localGpus[net];
  }

  private int[] nearestTo(int net) {
    Path best = Arrays.stream(netToGpu[net]).reduce(Path.NONE, (a, b) -> nearer(b, a) ? b : a);
    return IntStream.range(0, graph.gpus()).filter(gpu -> same(netToGpu[net][gpu], best)).toArray();
  }

  private static boolean nearer(Path a, Path b) {
    return a.megabytes() != b.megabytes() ? a.megabytes() > b.megabytes() : a.type().compareTo(b.type()) < 0;
  }

  private static boolean same(Path a, Path b) {
    return a.megabytes() == b.megabytes() && a.type() == b.type();
  }

  // The ports of each GPU, by channel.
  private int[][] ownNets() {
    int[][] nets = new int[graph.nets() == 0 ? 0 : graph.gpus()][MOST_CHANNELS];
    NetdevsPolicy policy = config.get(Environment.NETDEVS_POLICY).orElse(NetdevsPolicy.AUTO);
    for (int gpu = 0; gpu < nets.length; gpu++) {
      int[] near = localNets(gpu);
      int count = policy.count(near.length, nearestTo(near[0]).length);
      int first = graph.gpu(gpu).dev();
      if (Integer.bitCount(near.length) == 1) {
        first = bitReversed(first % near.length, near.length);
      }
      for (int channel = 0; channel < MOST_CHANNELS; channel++) {
        nets[gpu][channel] = near[(first + channel % count) % near.length];
      }
    }
    return nets;
  }

  private static int bitReversed(int value, int count) {
    return count == 1 ? 0 : Integer.reverse(value) >>> Integer.numberOfLeadingZeros(count - 1);
  }

  private int[] nearestGpus(int[][] nets) {
    int[] nearest = new int[graph.nets()];
    Arrays.fill(nearest, -1);
    for (int channel = MOST_CHANNELS - 1; channel >= 0; channel--) {
      for (int gpu = nets.length - 1; gpu >= 0; gpu--) {
        nearest[nets[gpu][channel]] = gpu;
      }
    }
    return nearest;
  }

  /**
   * The port by which a GPU receives on a channel, and by default sends.
   *
   * @throws IllegalArgumentException when the node has no port
   */
  public int localNet(int gpu, int channel) {
    if (graph.nets() == 0) {
      throw new IllegalArgumentException("the node has no network port");
    }
    return ownNets[gpu][channel % MOST_CHANNELS];
  }

  /** The GPU whose own port a port is; -1 if no GPU uses it. */
  public int nearestGpu(int net) {
    return nearestGpus[net];
  }
}
