package dev.heddle.workload.megatron.program;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Rates of copies between an accelerator's memory and that of its nearest processor while all accelerators of a node
 * copy at once: the slowest link on the way decides, with the headers of its packets and however many share it.
 *
 * @param outSeconds of a byte to the processor
 * @param backSeconds of a byte to the accelerator
 */
record HostCopies(double outSeconds, double backSeconds) {
  /** Copies that take no time, for jobs without any. */
  static final HostCopies NONE = new HostCopies(0, 0);

  private static final double PS_PER_SECOND = 1e12;
  /**
   * Shares of the rate of a coherent link that copies reach: 297 and 375 of 450 GB/s of NVLink-C2C between a Grace and
   * a GH200 [Schieffer et al., Harnessing Integrated CPU-GPU System Memory for HPC, ICPP 2024].
   */
  private static final double COHERENT_OUT = 297.0 / 450;
  private static final double COHERENT_BACK = 375.0 / 450;

  /**
   * The copies of a job's ranks.
   *
   * @param cluster the machine
   * @param terminals of the ranks, those of the first one's node are taken
   * @throws InvalidSettingException where the node has no processor
   */
  static HostCopies of(Cluster cluster, int[] terminals) {
    int node = cluster.node(terminals[0]);
    int[] cpus = Arrays.stream(cluster.terminals(DeviceKind.CPU)).filter(cpu -> cluster.node(cpu) == node).toArray();
    if (cpus.length == 0) {
      throw new InvalidSettingException(
          "execution.offload-layers", "are copied to the memory of a node's cpu, and the cluster's nodes have none");
    }
    int[] here = Arrays.stream(terminals).filter(terminal -> cluster.node(terminal) == node).toArray();
    int[] nearest = Arrays.stream(here).map(terminal -> Arrays.stream(cpus).boxed()
        .min(Comparator.comparingInt((Integer cpu) -> cluster.route(terminal, cpu).length)).orElseThrow()).toArray();
    return new HostCopies(
        seconds(cluster, ways(cluster, here, nearest), COHERENT_OUT),
        seconds(cluster, ways(cluster, nearest, here), COHERENT_BACK));
  }

  private static List<int[]> ways(Cluster cluster, int[] from, int[] to) {
    return IntStream.range(0, from.length).mapToObj(each -> cluster.route(from[each], to[each]))
        .toList();
  }

  private static double seconds(Cluster cluster, List<int[]> ways, double coherent) {
    Map<Integer, Integer> copies = new LinkedHashMap<>();
    ways.forEach(way -> Arrays.stream(way).forEach(link -> copies.merge(link, 1, Integer::sum)));
    return copies.entrySet().stream()
        .mapToDouble(link -> link.getValue() * perByte(cluster.linkModel(link.getKey()), coherent)).max().orElse(0);
  }

  private static double perByte(Link link, double coherent) {
    int packet = link.maxPayloadBytes();
    return link.wirePs(packet, 0) / PS_PER_SECOND / packet / (link.medium() == Medium.COHERENT ? coherent : 1);
  }
}
