package dev.heddle.collectives.nccl.rccl;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Medium;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The rings of a communicator on GPUs of AMD, as RCCL's tuning models assume them. Whole nodes of 8 are in its table of
 * known machines, whose rings have the rate of a GPU's xGMI links together, whatever the NICs. For others it searches,
 * as NCCL does: between nodes every NIC next to the ranks carries a ring at the rate that the search tries for it, but
 * all rings together have at most the rate of the links between the ranks of a node. A searched channel of at least 25
 * GB/s is divided into two; every channel serves twice.
 *
 * @param gpu architecture of all ranks
 * @param ranks number of ranks
 * @param nodes number of nodes
 * @param nics number of NICs of a node that the rings use; 0 on a single node
 * @param channels number of channels
 * @param bandwidth expected data rate of all rings, GB/s
 * @param use shares of the node's links and NICs in use
 * @param amdHost whether hosts have CPUs of AMD
 */
public record RcclRings(RcclGpu gpu, int ranks, int nodes, int nics, int channels, double bandwidth, Use use,
    boolean amdHost) {
  /** Dies of the known machine with a tuning model for LL128. */
  static final int PACKAGED_DIES = 16;

  private static final ConstantTable SPEEDS = ConstantTable.read("search-speeds.csv");
  // Rate of all rings on the known machine of 16 dies, GB/s [ROCm/rccl, graph/rome_models.cc, baseBw].
  private static final double PACKAGED_RINGS = 161.4;
  // Ranks of a node of the other known machines, and the rings of Frontier's and LUMI's on one node and on several.
  private static final int KNOWN = 8;
  private static final int DIE_RINGS = 4;
  private static final int DIE_RINGS_BETWEEN = 8;
  private static final double DIVIDED_FROM = 25;
  // Least numbers of channels of two and of four MI300X [ROCm/rccl 0cbce2a757, graph/connect.cc].
  private static final int LEAST_OF_TWO = 32;
  private static final int LEAST_OF_FOUR = 24;
  private static final double GIGABYTES = 8e9;

  /**
   * The shares of a node that a communicator uses.
   *
   * @param links share of a GPU's xGMI links that lead to other ranks, at most 1
   * @param ports share of the node's NICs, at most 1
   */
  public record Use(double links, double ports) {}

  /** Whether RCCL serves a cluster's accelerators. */
  public static boolean serves(Cluster cluster) {
    return Arrays.stream(cluster.terminals(DeviceKind.ACCELERATOR)).limit(1)
        .anyMatch(each -> cluster.accelerator(each).flatMap(RcclGpu::of).isPresent());
  }

  /**
   * The rings of a communicator.
   *
   * @throws InvalidSettingException when an accelerator has no tuning model, the nodes have different numbers of ranks,
   *     or the accelerators of a node have no links to one another
   */
  public static RcclRings of(Cluster cluster, Group group, NcclVersion version) {
    int[] members = IntStream.range(0, group.size()).map(group::member).toArray();
    RcclGpu gpu = cluster.accelerator(members[0]).flatMap(RcclGpu::of).orElseThrow(() -> new InvalidSettingException(
        "accelerator", "'" + cluster.accelerator(members[0]).map(Accelerator::name).orElse("")
            + "' has no tuning model in RCCL, which has those of MI200, MI300 and MI350"));
    int nodes = (int) Arrays.stream(members).map(cluster::node).distinct().count();
    int perNode = members.length / nodes;
    int node = cluster.node(members[0]);
    int[] own = Arrays.stream(members).filter(each -> cluster.node(each) == node).toArray();
    if (own.length * nodes != members.length) {
      throw new InvalidSettingException("", "RCCL's rings need as many ranks on every node, but " + members.length
          + " lie on " + nodes);
    }
    double[] all = links(cluster, gpu, own, IntStream.range(0, cluster.devices()).toArray());
    double[] within = links(cluster, gpu, own, own);
    if (perNode > 1 && Arrays.stream(all).min().orElse(0) == 0) {
      throw new InvalidSettingException("", "the accelerators of a node have no xGMI links to one another");
    }
    // A rank without a link to the others reaches them through the host, by one link.
    double least = Arrays.stream(within).map(each -> each == 0 ? 1 : each).min().orElse(1);
    double most = Math.max(least, Arrays.stream(within).max().orElse(0));
    double share = perNode > 1 ? Math.min(1, least / Arrays.stream(all).min().orElse(least)) : 1;
    boolean amd = Arrays.stream(cluster.terminals(DeviceKind.CPU)).limit(1)
        .anyMatch(cpu -> cluster.processor(cpu).filter(each -> each.vendor() == Accelerator.Vendor.AMD).isPresent());
    Search search = search(cluster, gpu, perNode, nodes > 1, perNode > 1 ? least : 1 / gpu.plannedLink(), version);
    double bandwidth = perNode == PACKAGED_DIES ? PACKAGED_RINGS
        : perNode == KNOWN ? most * gpu.plannedLink() : search.bandwidth();
    return new RcclRings(gpu, members.length, nodes, search.nics(), Math.min(gpu.mostChannels(), search.channels()),
        bandwidth, new Use(share, search.ports()), amd);
  }

  /** The NICs and channels of a search, their total rate in GB/s, and their share of the node's ports. */
  private record Search(int nics, int channels, double bandwidth, double ports) {}

  private static Search search(Cluster cluster, RcclGpu gpu, int perNode, boolean networked, double links,
      NcclVersion version) {
    boolean dies = gpu == RcclGpu.GFX90A && perNode == KNOWN;
    if (!networked) {
      int least = gpu == RcclGpu.GFX90A ? 1 : perNode == 2 ? LEAST_OF_TWO : perNode == 4 ? LEAST_OF_FOUR : 1;
      int rings = dies ? 2 * DIE_RINGS : (int) Math.max(1, Math.round(links)) * 4;
      return new Search(0, Math.max(least, rings), links * gpu.plannedLink(), 1);
    }
    int node = cluster.node(cluster.terminals(DeviceKind.ACCELERATOR)[0]);
    int[] nics = IntStream.of(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == node).toArray();
    if (nics.length == 0) {
      throw new InvalidSettingException("", "RCCL's ranks lie on several nodes, which have no NICs");
    }
    int gpus = (int) Arrays.stream(cluster.terminals(DeviceKind.ACCELERATOR))
        .filter(each -> cluster.node(each) == node).count();
    int used = Math.max(1, Math.min(nics.length, (nics.length * perNode + gpus - 1) / gpus));
    double speed = speed(portRate(cluster, nics[0]), version);
    int channels = dies && used == DIE_RINGS ? 2 * DIE_RINGS_BETWEEN : used * (speed >= DIVIDED_FROM ? 4 : 2);
    double linked = perNode > 1 ? links * gpu.plannedLink() : Double.POSITIVE_INFINITY;
    return new Search(used, channels, Math.min(used * speed, linked), (double) used / nics.length);
  }

  // The number of each rank's xGMI links to some devices.
  private static double[] links(Cluster cluster, RcclGpu gpu, int[] ranks, int[] others) {
    double[] links = new double[cluster.devices()];
    boolean[] wanted = new boolean[cluster.devices()];
    for (int other : others) {
      wanted[other] = cluster.kind(other) == DeviceKind.ACCELERATOR;
    }
    for (int link = 0; link < cluster.links(); link++) {
      if (wanted[cluster.linkTarget(link)] && cluster.nominalLink(link).medium() == Medium.PEER) {
        links[cluster.linkSource(link)] += cluster.nominalLink(link).rate().bitsPerSecond() / GIGABYTES / gpu.link();
      }
    }
    return Arrays.stream(ranks).mapToDouble(rank -> links[rank]).toArray();
  }

  // The rate of a NIC's port, GB/s.
  private static double portRate(Cluster cluster, int nic) {
    return IntStream.range(0, cluster.links())
        .filter(link -> cluster.linkSource(link) == nic && cluster.node(cluster.linkTarget(link)) != cluster.node(nic))
        .mapToDouble(link -> cluster.nominalLink(link).rate().bitsPerSecond() / GIGABYTES).sum();
  }

  // The greatest rate that the search tries and a port has.
  private static double speed(double port, NcclVersion version) {
    return SPEEDS.rows(version).stream()
        .filter(row -> SPEEDS.cell(row, "place").equals("inter") && SPEEDS.cell(row, "capability").equals("0"))
        .flatMap(row -> Arrays.stream(SPEEDS.cell(row, "speeds").split(" "))).mapToDouble(Double::parseDouble)
        .filter(each -> each <= port).max().orElse(port);
  }

  /** The number of ranks of a node. */
  int perNode() {
    return ranks / nodes;
  }
}
