package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.collectives.nccl.system.SystemGraph.Edge;
import dev.heddle.collectives.nccl.system.SystemGraph.Vertex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** Builder of a system graph from a description, with the constants of a version. */
final class SystemGraphBuilder {
  private static final ConstantTable CONSTANTS = ConstantTable.read("planning-bandwidth.csv");
  private static final List<Integer> NVLINK_GENERATIONS = List.of(100, 90, 86, 80, 70, 60);
  private static final int MEGA = 1000;
  private static final double MEGABITS_PER_GIGABYTE = 8000;

  private final SystemDescription description;
  private final NcclConfig config;
  private final List<Vertex> vertices = new ArrayList<>();
  private final List<Edge> links = new ArrayList<>();
  private final Map<String, Integer> byBusId = new LinkedHashMap<>();
  // The socket above each vertex; the vertex itself if there is none.
  private final List<Integer> socketOf = new ArrayList<>();
  private int gpusSeen;
  private int nvs = -1;

  SystemGraphBuilder(SystemDescription description, NcclConfig config) {
    this.description = description;
    this.config = config;
  }

  SystemGraph build(IntPredicate gpus, boolean networks) {
    List<Integer> sockets = new ArrayList<>();
    for (Cpu cpu : description.cpus()) {
      int socket = add(NodeType.CPU, "cpu" + cpu.numa(), cpu.model());
      sockets.add(socket);
      cpu.devices().forEach(device -> device(device, socket, gpus, networks));
      if (networks) {
        adapter("nic" + socket, cpu.nets(), socket, rate("local"));
      }
    }
    int devices = vertices.size();
    for (int vertex = 0; vertex < devices; vertex++) {
      if (vertices.get(vertex).thing() instanceof Gpu gpu) {
        nvlinks(vertex, gpu);
      }
    }
    peers(description);
    for (int a = 0; a < sockets.size(); a++) {
      Cpu cpu = description.cpus().get(a);
      for (int b = a + 1; b < sockets.size(); b++) {
        if (cpu.hostHash().equals(description.cpus().get(b).hostHash())) {
          connect(sockets.get(a), sockets.get(b), LinkType.SYS,
              megabytes(cpu.model().socketBandwidth(config.version(), CONSTANTS)));
        }
      }
    }
    return new SystemGraph(config.version(), vertices, links);
  }

  private int add(NodeType type, String name, Object thing) {
    vertices.add(new Vertex(type, name, thing));
    socketOf.add(vertices.size() - 1);
    return vertices.size() - 1;
  }

  private int addBelow(int above, NodeType type, String name, Object thing) {
    int vertex = add(type, name, thing);
    socketOf.set(vertex, socketOf.get(above));
    byBusId.put(name, vertex);
    return vertex;
  }

  // Adds a device and those below it. A GPU or NIC is the vertex of its PCIe function itself.
  private void device(PciDevice device, int above, IntPredicate gpus, boolean networks) {
    int rate = rate(device);
    if (device.content() instanceof Gpu gpu) {
      if (gpus.test(gpusSeen++)) {
        int vertex = addBelow(above, NodeType.GPU, device.id().busId(), gpu);
        connect(vertex, above, LinkType.PCI, rate);
      }
    } else if (device.content() instanceof Nic nic) {
      if (networks) {
        adapter(device.id().busId(), nic.nets(), above, rate);
      }
    } else if (device.content() instanceof Bridge bridge) {
      int vertex = addBelow(above, NodeType.PCI, device.id().busId(), bridge);
      connect(vertex, above, LinkType.PCI, rate);
      bridge.devices().forEach(each -> device(each, vertex, gpus, networks));
    }
  }

  private void adapter(String name, List<Net> all, int above, int rate) {
    List<Net> nets = all.stream().filter(this::used).map(this::asUsed).toList();
    if (nets.isEmpty()) {
      return;
    }
    int adapter = add(NodeType.NIC, name, nets);
    connect(adapter, above, LinkType.PCI, rate);
    for (Net net : merged(nets)) {
      int vertex = add(NodeType.NET, net.name().isEmpty() ? "net" + net.dev() : net.name(), net);
      double gigabytes = net.megabits() == 0
          ? CONSTANTS.number(config.version(), "net-unknown", "gbps")
          : net.megabits() / MEGABITS_PER_GIGABYTE;
      connect(adapter, vertex, LinkType.NET, megabytes(gigabytes));
    }
  }

  private boolean used(Net net) {
    return config.get(Environment.IB_HCA).map(filter -> filter.allows(net.name(), net.port())).orElse(true);
  }

  private Net asUsed(Net net) {
    boolean coll = net.coll() && config.get(Environment.COLLNET_ENABLE);
    return new Net(net.name(), net.dev(), net.latencyUs(), net.megabits(), net.port(), net.guid(),
        net.maxConnections(), net.gdr() && !config.sockets(), coll && !config.sockets());
  }

  // The ports of an adapter; since 2.24 they are merged into one by default.
  private List<Net> merged(List<Net> nets) {
    boolean off = !config.get(Environment.IB_MERGE_NICS) || !config.version().since(24)
        || !config.get(Environment.NET_MERGE_LEVEL).orElse(true);
    if (nets.size() == 1 || off) {
      return nets;
    }
    Net first = nets.get(0);
    int megabits = nets.stream().mapToInt(Net::megabits).sum();
    return List.of(new Net(first.name(), first.dev(), first.latencyUs(), megabits, first.port(), first.guid(),
        first.maxConnections(), first.gdr(), first.coll()));
  }

  private void nvlinks(int from, Gpu gpu) {
    for (Nvlink link : gpu.nvlinks()) {
      int rate = link.count() * nvlinkMegabytes(config.version(), gpu.sm());
      if (link.toSwitch()) {
        nvs = nvs < 0 ? add(NodeType.NVS, "nvs", link) : nvs;
        connect(from, nvs, LinkType.NVL, rate);
      } else if (link.toCpu()) {
        connect(from, socketOf.get(from), LinkType.NVL, rate);
      } else {
        // Between two GPUs each end declares its own direction
        Integer peer = byBusId.get(link.target());
        if (peer != null) {
          join(from, peer, LinkType.NVL, rate);
        }
      }
    }
    gpu.c2c().ifPresent(
        c2c -> connect(from, socketOf.get(from), LinkType.C2C, Math.multiplyExact(c2c.megabytes(), c2c.count())));
  }

  static int nvlinkMegabytes(NcclVersion version, int sm) {
    int generation = NVLINK_GENERATIONS.stream().filter(each -> each <= sm).findFirst()
        .orElse(NVLINK_GENERATIONS.get(NVLINK_GENERATIONS.size() - 1));
    return megabytes(CONSTANTS.number(version, "nvlink-" + generation, "gbps"));
  }

  private void peers(SystemDescription system) {
    system.cpus().forEach(cpu -> cpu.devices().forEach(this::peers));
  }

  private void peers(PciDevice device) {
    if (device.content() instanceof Bridge bridge) {
      for (String peer : bridge.peers()) {
        Integer own = byBusId.get(device.id().busId());
        Integer other = byBusId.get(peer);
        if (own != null && other != null) {
          join(own, other, LinkType.LOC, rate("local"));
        }
      }
      bridge.devices().forEach(this::peers);
    }
  }

  private int rate(PciDevice device) {
    String speed =
        PciSpeed.of(device.speed()).orElseThrow(() -> new IllegalArgumentException("no PCIe speed: " + device.speed()));
    int lanes = device.width() == 0 ? 16 : device.width();
    return megabytes(lanes * CONSTANTS.number(config.version(), "pcie-" + speed, "gbps"));
  }

  private int rate(String constant) {
    return megabytes(CONSTANTS.number(config.version(), constant, "gbps"));
  }

  private static int megabytes(double gigabytes) {
    return (int) Math.round(gigabytes * MEGA);
  }

  private void connect(int a, int b, LinkType type, int megabytes) {
    join(a, b, type, megabytes);
    join(b, a, type, megabytes);
  }

  // Adds a link; parallel links are one link of their total bandwidth.
  private void join(int from, int to, LinkType type, int megabytes) {
    for (int i = 0; i < links.size(); i++) {
      Edge edge = links.get(i);
      if (edge.from() == from && edge.to() == to && edge.type() == type) {
        links.set(i, new Edge(from, to, type, edge.megabytes() + megabytes));
        return;
      }
    }
    links.add(new Edge(from, to, type, megabytes));
  }
}
