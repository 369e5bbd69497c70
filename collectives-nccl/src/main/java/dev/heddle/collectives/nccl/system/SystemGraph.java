package dev.heddle.collectives.nccl.system;

import com.google.common.collect.ImmutableList;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The system graph of a node as NCCL plans with it: vertices of six types, links with the bandwidths that NCCL assumes,
 * MB/s per direction. Vertices and links have numbers from 0; GPUs, NVSwitches, CPUs and ports also have indices among
 * their type, in the order of the description.
 */
public final class SystemGraph {
  private final NcclVersion version;
  private final List<Vertex> vertices;
  private final List<Edge> links;
  private final int[] reverse;
  private final int[][] leaving;
  private final int[][] byType;
  private final int[] index;

  /**
   * A vertex.
   *
   * @param type its type
   * @param name bus id, or type and number
   * @param thing its description, for a GPU, port or CPU
   */
  record Vertex(NodeType type, String name, Object thing) {}

  /** A link in one direction, with its bandwidth in MB/s. */
  record Edge(int from, int to, LinkType type, int megabytes) {}

  SystemGraph(NcclVersion version, List<Vertex> vertices, List<Edge> links) {
    this.version = version;
    this.vertices = ImmutableList.copyOf(vertices);
    this.links = ImmutableList.copyOf(links);
    reverse = new int[links.size()];
    leaving = new int[vertices.size()][];
    for (int v = 0; v < leaving.length; v++) {
      int vertex = v;
      leaving[v] = numbers(links.size(), link -> links.get(link).from() == vertex);
    }
    for (int link = 0; link < reverse.length; link++) {
      Edge edge = links.get(link);
      reverse[link] = Arrays.stream(leaving[edge.to()])
          .filter(back -> links.get(back).to() == edge.from() && links.get(back).type() == edge.type())
          .findFirst().orElseThrow(() -> new IllegalStateException("no way back over " + edge));
    }
    byType = new int[NodeType.values().length][];
    for (NodeType type : NodeType.values()) {
      byType[type.ordinal()] = numbers(vertices.size(), vertex -> vertices.get(vertex).type() == type);
    }
    index = new int[vertices.size()];
    for (int[] ofType : byType) {
      for (int i = 0; i < ofType.length; i++) {
        index[ofType[i]] = i;
      }
    }
  }

  /** The graph of a whole node. */
  public static SystemGraph of(SystemDescription description, NcclConfig config) {
    return new SystemGraphBuilder(description, config).build(gpu -> true, true);
  }

  /**
   * The graph for a communicator with some GPUs of a node.
   *
   * @param gpus their numbers in the order of the description, from 0
   * @param networks whether the communicator has ranks on other nodes; if not, NCCL plans without the network
   */
  public static SystemGraph of(SystemDescription description, NcclConfig config, int[] gpus, boolean networks) {
    int most = Inventory.of(description).gpus().size();
    for (int gpu : gpus) {
      if (gpu < 0 || gpu >= most) {
        throw new IllegalArgumentException("there is no GPU " + gpu + " among " + most);
      }
    }
    return new SystemGraphBuilder(description, config)
        .build(gpu -> Arrays.stream(gpus).anyMatch(each -> each == gpu), networks);
  }

  private static int[] numbers(int count, IntPredicate chosen) {
    int[] numbers = new int[count];
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (chosen.test(i)) {
        numbers[found++] = i;
      }
    }
    return Arrays.copyOf(numbers, found);
  }

  /** The version of NCCL whose bandwidths the graph has. */
  public NcclVersion version() {
    return version;
  }

  /** The number of vertices of a type. */
  public int count(NodeType type) {
    return byType[type.ordinal()].length;
  }

  /** The number of GPUs. */
  public int gpus() {
    return count(NodeType.GPU);
  }

  /** The number of network ports. */
  public int nets() {
    return count(NodeType.NET);
  }

  /** The vertex with an index among its type. */
  public int vertex(NodeType type, int index) {
    return byType[type.ordinal()][index];
  }

  /** The number of vertices. */
  public int vertices() {
    return vertices.size();
  }

  /** The type of a vertex. */
  public NodeType type(int vertex) {
    return vertices.get(vertex).type();
  }

  /** The name of a vertex: its bus id, or its type and number. */
  public String name(int vertex) {
    return vertices.get(vertex).name();
  }

  /** The index of a vertex among those of its type. */
  public int index(int vertex) {
    return index[vertex];
  }

  /** The description of a GPU. */
  public SystemDescription.Gpu gpu(int index) {
    return (SystemDescription.Gpu) thing(NodeType.GPU, index);
  }

  /** The description of a port; merged ports are one. */
  public SystemDescription.Net net(int index) {
    return (SystemDescription.Net) thing(NodeType.NET, index);
  }

  /** The bandwidth that NCCL assumes for each NVLink of a GPU, MB/s. */
  public int nvlinkMegabytes(int gpu) {
    return SystemGraphBuilder.nvlinkMegabytes(version, gpu(gpu).sm());
  }

  /** The model of a CPU. */
  public CpuModel cpu(int index) {
    return (CpuModel) thing(NodeType.CPU, index);
  }

  private Object thing(NodeType type, int index) {
    return vertices.get(vertex(type, index)).thing();
  }

  /** The number of links; each direction counts. */
  public int links() {
    return links.size();
  }

  /** The vertex at which a link begins. */
  public int from(int link) {
    return links.get(link).from();
  }

  /** The vertex at which a link ends. */
  public int to(int link) {
    return links.get(link).to();
  }

  /** The type of a link. */
  public LinkType linkType(int link) {
    return links.get(link).type();
  }

  /** The bandwidth that NCCL assumes for a link, MB/s. */
  public int megabytes(int link) {
    return links.get(link).megabytes();
  }

  /** The link of the opposite direction. */
  public int reverse(int link) {
    return reverse[link];
  }

  /** The links that leave a vertex; callers must not change the array. */
  int[] leaving(int vertex) {
    return leaving[vertex];
  }

  /** The least compute capability of all GPUs, times ten. */
  public int leastCapability() {
    return capabilities().min().orElse(0);
  }

  /** The greatest compute capability of all GPUs, times ten. */
  public int greatestCapability() {
    return capabilities().max().orElse(0);
  }

  private IntStream capabilities() {
    return Arrays.stream(byType[NodeType.GPU.ordinal()])
        .map(vertex -> ((SystemDescription.Gpu) vertices.get(vertex).thing()).sm());
  }
}
