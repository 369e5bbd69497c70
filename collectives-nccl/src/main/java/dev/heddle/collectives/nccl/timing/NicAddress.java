package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Link.Gid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The address by which the NICs of a machine send.
 *
 * @param headers packet headers with this address
 */
public record NicAddress(TransportModel.Headers headers) {
  /** The address of NICs without a choice of addresses. */
  public static final NicAddress PLAIN = new NicAddress(TransportModel.Headers.PLAIN);

  /**
   * The address that NCCL uses: the one that NCCL_IB_GID_INDEX names, otherwise the first of the desired RoCE version
   * and family, otherwise the first.
   *
   * @throws InvalidSettingException when the NICs have no address with that index
   */
  public static NicAddress of(Cluster cluster, NcclConfig config) {
    int[] nics = cluster.terminals(DeviceKind.NIC);
    if (cluster.nodes() == 1 || nics.length == 0 || config.sockets()) {
      return PLAIN;
    }
    Link link = cluster.networkLink(nics[0]);
    if (link.gids().isEmpty()) {
      return PLAIN;
    }
    Gid gid = gid(link.gids(), config);
    return new NicAddress(new TransportModel.Headers(link.maxPayloadBytes(), gid.extraBytes(), gid.spreads()));
  }

  private static Gid gid(List<Gid> gids, NcclConfig config) {
    Optional<Integer> index = config.get(Environment.IB_GID_INDEX);
    if (index.isPresent()) {
      if (index.get() >= gids.size()) {
        throw new InvalidSettingException("environment", Environment.IB_GID_INDEX + "=" + index.get()
            + ": the NICs have addresses 0 to " + (gids.size() - 1) + ", "
            + gids.stream().map(Gid::key).collect(Collectors.joining(", ")));
      }
      return gids.get(index.get());
    }
    return gids.stream().filter(gid -> gid.version() == config.get(Environment.IB_ROCE_VERSION_NUM)
        && gid.longAddress() == config.get(Environment.IB_ADDR_FAMILY).orElse(false)).findFirst().orElse(gids.get(0));
  }

  /** The total data rate of all ports of the NICs of a cluster's first node after headers, gigabytes per second. */
  public double nodeRate(Cluster cluster) {
    return nicLinks(cluster)
        .mapToDouble(link -> link.rate().bytesPerNano() * link.maxPayloadBytes() / packetBytes(link)).sum();
  }

  /**
   * The timing of a machine with the headers of this address: additional header bytes lower the efficiency of its
   * network, which was measured with plain headers.
   */
  public MachineTiming limit(MachineTiming machine, Cluster cluster) {
    if (equals(PLAIN)) {
      return machine;
    }
    double share = nicLinks(cluster)
        .mapToDouble(link -> link.wireBytes(link.maxPayloadBytes(), 0) / (double) packetBytes(link)).min().orElse(1);
    return machine.atMost(nodeRate(cluster)).withEfficiencyShare(share);
  }

  // The links by which the NICs of the first node leave it, of the innermost tier between nodes: of each NIC those of
  // the first one's model.
  private static Stream<Link> nicLinks(Cluster cluster) {
    SortedMap<Integer, List<Integer>> ports = new TreeMap<>();
    Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == 0)
        .forEach(nic -> ports.put(nic, new ArrayList<>()));
    for (int link = 0; link < cluster.links(); link++) {
      List<Integer> own = ports.get(cluster.linkSource(link));
      if (own != null && cluster.node(cluster.linkTarget(link)) != 0) {
        own.add(link);
      }
    }
    return ports.values().stream().flatMap(own -> own.stream()
        .filter(link -> cluster.nominalLink(link) == cluster.nominalLink(own.get(0))).map(cluster::linkModel));
  }

  private long packetBytes(Link link) {
    return link.wireBytes(link.maxPayloadBytes(), 0) + headers.extraBytes();
  }
}
