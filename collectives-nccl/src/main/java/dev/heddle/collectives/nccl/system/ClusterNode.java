package dev.heddle.collectives.nccl.system;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.C2c;
import dev.heddle.collectives.nccl.system.SystemDescription.Content;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.collectives.nccl.system.SystemDescription.PciId;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Medium;
import dev.heddle.units.DataRate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Description of a cluster's node as NCCL would detect it: GPUs and NICs have the numbers of the cluster's terminals of
 * their kind, PCIe links follow from their rates, and sockets joined by a link are one host. Unknown properties of a
 * CPU are those of an Intel Sapphire Rapids; every port supports reduction in the network. Chips that are joined
 * directly belong to one host, and their accelerators are GPUs with direct links.
 */
public final class ClusterNode {
  private static final ConstantTable NVLINKS = ConstantTable.read("nvlink-rates.csv");
  private static final ConstantTable STATED = ConstantTable.read("stated-latency.csv");
  private static final double BITS_PER_GIGABYTE = 8e9;

  private final Cluster cluster;
  private final int node;
  private final ChipNetwork chips;
  // The links of each device within the node.
  private final ListMultimap<Integer, Wire> wires = MultimapBuilder.treeKeys().arrayListValues().build();
  private final Map<Integer, Long> networkBits = new TreeMap<>();
  private final Map<Integer, String> busIds = new TreeMap<>();

  /** A direction of a link that leaves a device. */
  private record Wire(int to, Medium medium, DataRate rate) {}

  private ClusterNode(Cluster cluster, int node) {
    this.cluster = cluster;
    this.node = node;
    chips = new ChipNetwork(cluster, node);
    for (int link = 0; link < cluster.links(); link++) {
      int from = cluster.linkSource(link);
      int to = cluster.linkTarget(link);
      if (cluster.node(from) != node) {
        continue;
      }
      DataRate rate = cluster.nominalLink(link).rate();
      if (cluster.node(to) == node) {
        wires.put(from, new Wire(to, cluster.nominalLink(link).medium(), rate));
      } else {
        networkBits.merge(from, rate.bitsPerSecond(), Long::sum);
      }
    }
    wires.keySet().forEach(device -> busIds.put(device, busId(busIds.size())));
  }

  /**
   * Describes a node.
   *
   * @throws InvalidSettingException when the node has no CPU, or an accelerator that NCCL does not support
   */
  public static SystemDescription of(Cluster cluster, int node) {
    return new ClusterNode(cluster, node).describe();
  }

  private static String busId(int number) {
    return String.format(Locale.ROOT, "%04x:%02x:00.0", number >> 8, number & 0xff);
  }

  private SystemDescription describe() {
    List<Integer> cpus = wires.keySet().stream().filter(device -> cluster.kind(device) == DeviceKind.CPU).toList();
    if (cpus.isEmpty()) {
      throw new InvalidSettingException("", "NCCL finds GPUs and NICs by their CPUs, but a node has none");
    }
    int[] hosts = hosts(cpus);
    boolean several = cpus.stream().mapToInt(cpu -> hosts[cpu]).distinct().count() > 1;
    List<Integer> seen = new ArrayList<>(cpus);
    List<Cpu> described = new ArrayList<>();
    for (int cpu : cpus) {
      CpuModel model = cluster.processor(cpu).map(CpuModel::of).orElse(CpuModel.sapphireRapids());
      described.add(new Cpu(
          several ? "0x" + Integer.toHexString(hosts[cpu]) : "", described.size(), "", model, below(cpu, seen),
          List.of()));
    }
    SystemDescription description = new SystemDescription(described);
    long gpus = wires.keySet().stream().filter(device -> cluster.kind(device) == DeviceKind.ACCELERATOR).count();
    if (Inventory.of(description).gpus().size() != gpus) {
      throw new InvalidSettingException("", "an accelerator of a node has no way to a CPU");
    }
    return description;
  }

  // The host of each socket: the least number of the sockets joined to it by socket links.
  private int[] hosts(List<Integer> cpus) {
    int[] host = new int[cluster.devices()];
    Arrays.setAll(host, device -> device);
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int cpu : cpus) {
        for (Wire wire : wires.get(cpu)) {
          boolean socket = wire.medium() == Medium.SOCKET && cpus.contains(wire.to());
          int least = socket ? host[wire.to()] : chips.isChip(wire.to()) ? host[cpus.get(0)] : host[cpu];
          if (least < host[cpu]) {
            host[cpu] = least;
            changed = true;
          }
        }
      }
    }
    return host;
  }

  private List<PciDevice> below(int parent, List<Integer> seen) {
    List<PciDevice> devices = new ArrayList<>();
    List<Wire> down = wires.get(parent).stream()
        .filter(wire -> wire.medium() == Medium.BUS || wire.medium() == Medium.COHERENT)
        .sorted(Comparator.comparing((Wire wire) -> wire.medium() == Medium.COHERENT)
            .thenComparing(wire -> wire.to()))
        .toList();
    for (Wire wire : down) {
      if (!seen.contains(wire.to())) {
        seen.add(wire.to());
        if (cluster.kind(wire.to()) == DeviceKind.ROOT_COMPLEX) {
          devices.addAll(below(wire.to(), seen));
        } else {
          device(wire, seen).ifPresent(devices::add);
        }
      }
    }
    return devices;
  }

  private List<PciDevice> onChip(int chip, PciLink link) {
    return chips.accelerators(chip).stream()
        .map(each -> new PciDevice(PciId.of(bus(each), "0x030200"), link.speed(), link.width(), gpu(each))).toList();
  }

  private Optional<PciDevice> device(Wire wire, List<Integer> seen) {
    int device = wire.to();
    PciLink link = wire.medium() == Medium.BUS ? PciLink.nearest(wire.rate()) : PciLink.UNKNOWN;
    Content content;
    String type;
    switch (cluster.kind(device)) {
      case ACCELERATOR :
        content = gpu(device);
        type = "0x030200";
        break;
      case NIC :
        content = new Nic(ports(device));
        type = "0x020700";
        break;
      case SWITCH :
        List<PciDevice> within = new ArrayList<>(below(device, seen));
        within.addAll(onChip(device, link));
        content = new Bridge(within, List.of());
        type = "0x060400";
        break;
      default :
        return Optional.empty();
    }
    return Optional.of(new PciDevice(PciId.of(bus(device), type), link.speed(), link.width(), content));
  }

  private String bus(int device) {
    String id = busIds.get(device);
    if (id == null) {
      throw new IllegalStateException("device " + device + " has no link of its own");
    }
    return id;
  }

  private Gpu gpu(int device) {
    Accelerator model = cluster.accelerator(device).orElseThrow(() -> new InvalidSettingException(
        "accelerator", "is missing: NCCL plans by what GPU it is, such as accelerator: {preset: h100-sxm}"));
    int capability = model.computeCapability();
    if (capability == 0) {
      throw new InvalidSettingException(
          "accelerator", "'" + model.name() + "' has no compute-capability; NCCL knows GPUs of NVIDIA only");
    }
    List<Nvlink> nvlinks = new ArrayList<>();
    Optional<C2c> c2c = Optional.empty();
    for (Wire wire : wires.get(device)) {
      double gigabytes = wire.rate().bitsPerSecond() / BITS_PER_GIGABYTE;
      if (wire.medium() == Medium.PEER) {
        boolean peer = cluster.kind(wire.to()) == DeviceKind.ACCELERATOR;
        nvlinks.add(nvlink(wire.to(), gigabytes, capability, peer ? "0x030200" : "0x068000"));
      } else if (wire.medium() == Medium.COHERENT && cluster.kind(wire.to()) == DeviceKind.CPU) {
        c2c = Optional.of(new C2c((int) Math.round(gigabytes * 1000), 1));
      }
    }
    for (ChipNetwork.Direct link : chips.links(device)) {
      nvlinks.add(nvlink(link.to(), link.bits() / BITS_PER_GIGABYTE, capability, "0x030200"));
    }
    int number = number(device, DeviceKind.ACCELERATOR);
    return new Gpu(number, capability, number, true, nvlinks, c2c);
  }

  private Nvlink nvlink(int to, double gigabytes, int capability, String targetClass) {
    return new Nvlink(bus(to), Math.max(1, (int) Math.round(gigabytes / nvlinkGigabytes(capability))), targetClass);
  }

  /** The rate of an NVLink of a GPU, GB/s per direction. */
  static double nvlinkGigabytes(int capability) {
    return ofCapability(NVLINKS, NVLINKS.rows(NcclVersion.LATEST).stream(), Math.max(60, capability), "gbps")
        .orElseThrow();
  }

  // The number in a column of the last of some rows that holds for a compute capability.
  private static OptionalDouble ofCapability(
      ConstantTable table, Stream<Map<String, String>> rows, int capability, String column) {
    return rows.filter(row -> Integer.parseInt(table.cell(row, "capability")) <= capability)
        .mapToDouble(row -> Double.parseDouble(table.cell(row, column))).reduce((first, second) -> second);
  }

  // The latency that the plug-in of a NIC's network states, microseconds; 0 if it states none.
  private double statedUs(int device) {
    String network = cluster.networkLink(device).network();
    int capability = wires.keySet().stream().flatMap(each -> cluster.accelerator(each).stream())
        .mapToInt(Accelerator::computeCapability).max().orElse(0);
    return ofCapability(STATED,
        STATED.rows(NcclVersion.LATEST).stream().filter(row -> STATED.cell(row, "network").equals(network)),
        capability, "us").orElse(0);
  }

  // The ports of a NIC; none if it has no link out of the node.
  private List<Net> ports(int device) {
    Long bits = networkBits.get(device);
    if (bits == null) {
      return List.of();
    }
    int number = number(device, DeviceKind.NIC);
    return List.of(Net.of("nic" + number, number, (int) (bits / 1_000_000)).stating(statedUs(device)));
  }

  private int number(int device, DeviceKind kind) {
    int number = 0;
    for (int each : wires.keySet()) {
      if (each < device && cluster.kind(each) == kind) {
        number++;
      }
    }
    return number;
  }
}
