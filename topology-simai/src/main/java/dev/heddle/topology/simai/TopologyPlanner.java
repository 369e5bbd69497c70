package dev.heddle.topology.simai;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.topology.simai.TopologyFile.Cable;
import dev.heddle.units.DataRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans tiers from a file, by the terminals to be joined: accelerators alone are those of the whole file; accelerators
 * and NICs are those of one server, a NIC for each accelerator with ports; NICs alone are those of all servers.
 */
final class TopologyPlanner {
  private static final int MOST_HOPS = 100;

  private final SimaiTopologyProvider.Settings settings;
  private final TopologyFile file;

  TopologyPlanner(SimaiTopologyProvider.Settings settings, TopologyFile file) {
    this.settings = settings;
    this.file = file;
  }

  TierPlan plan(List<Terminal> terminals) {
    long accelerators = terminals.stream().filter(each -> each.kind() == DeviceKind.ACCELERATOR).count();
    long nics = terminals.stream().filter(each -> each.kind() == DeviceKind.NIC).count();
    int nicsOfAll = file.nics().size();
    if (accelerators + nics == terminals.size()) {
      if (accelerators == file.accelerators() && nics == 0) {
        return whole(terminals);
      }
      if (accelerators == 0 && nics == nicsOfAll) {
        return network(terminals);
      }
      if (accelerators == file.perServer() && nics * file.servers() == nicsOfAll && nics > 0) {
        return server(terminals);
      }
    }
    throw new InvalidSettingException("file", "the file has " + file.accelerators() + " accelerators in "
        + file.servers() + " servers with " + nicsOfAll + " NICs: as one tier it joins {accelerator: "
        + file.accelerators() + "}; as two, {accelerator: " + file.perServer() + ", nic: " + nicsOfAll / file.servers()
        + "} and " + file.servers() + " such; but here are " + accelerators + " accelerators, " + nics + " NICs and "
        + (terminals.size() - accelerators - nics) + " others");
  }

  // --- all in one tier ---

  private TierPlan whole(List<Terminal> terminals) {
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    for (int node = file.accelerators(); node < file.nodes(); node++) {
      boolean inside = file.nvSwitch(node);
      plan.addDevice(
          inside ? "nvswitch" + (node - file.accelerators())
              : "switch" + (node - file.accelerators() - file.nvSwitches()),
          DeviceKind.SWITCH, inside ? settings.nvswitch() : settings.forwarding());
    }
    Graph graph = new Graph(plan, file.nodes());
    for (Cable cable : file.cables()) {
      graph.connect(cable.low(), cable.high(), link(cable));
    }
    return routed(graph, file.accelerators(), file.accelerators() + file.nvSwitches());
  }

  // --- the network alone: a NIC for each accelerator with ports ---

  private TierPlan network(List<Terminal> terminals) {
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int nics = terminals.size();
    int offset = nics - file.accelerators() - file.nvSwitches();
    for (int i = 0; i < file.switches(); i++) {
      plan.addDevice("switch" + i, DeviceKind.SWITCH, settings.forwarding());
    }
    Graph graph = new Graph(plan, nics + file.switches());
    for (int nic = 0; nic < nics; nic++) {
      for (Cable cable : file.nics().get(nic)) {
        graph.connect(nic, cable.high() + offset, link(cable));
      }
    }
    for (Cable cable : file.cables()) {
      if (!file.accelerator(cable.low())) {
        graph.connect(cable.low() + offset, cable.high() + offset, link(cable));
      }
    }
    return routed(graph, nics, nics);
  }

  private TierPlan routed(Graph graph, int terminals, int firstSwitch) {
    NetworkRoutes routes = new NetworkRoutes(terminals, firstSwitch, graph.links(), graph.neighbours());
    if (!routes.connected()) {
      throw new InvalidSettingException("file", "no way leads from some accelerators to others");
    }
    if (routes.diameter() > MOST_HOPS) {
      throw new InvalidSettingException("file", "switches lie up to " + routes.diameter() + " hops apart; at most "
          + MOST_HOPS + " are possible");
    }
    return graph.plan.routeBy(routes).build();
  }

  /** The links of a plan, by the device at which they begin. */
  private static final class Graph {
    private final TierPlanBuilder plan;
    private final List<List<Integer>> links = new ArrayList<>();
    private final List<List<Integer>> neighbours = new ArrayList<>();

    Graph(TierPlanBuilder plan, int devices) {
      this.plan = plan;
      for (int i = 0; i < devices; i++) {
        links.add(new ArrayList<>());
        neighbours.add(new ArrayList<>());
      }
    }

    void connect(int a, int b, Link link) {
      int there = plan.connect(a, b, link);
      links.get(a).add(there);
      neighbours.get(a).add(b);
      links.get(b).add(there + 1);
      neighbours.get(b).add(a);
    }

    int[][] links() {
      return rows(links);
    }

    int[][] neighbours() {
      return rows(neighbours);
    }

    private static int[][] rows(List<List<Integer>> lists) {
      return lists.stream().map(list -> list.stream().mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
    }
  }

  // --- one server: its accelerators, their NVSwitches, and a NIC for each accelerator with ports ---

  private TierPlan server(List<Terminal> terminals) {
    requireEqualServers();
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int[] accelerators = numbers(terminals, DeviceKind.ACCELERATOR);
    int[] nics = numbers(terminals, DeviceKind.NIC);
    Map<Integer, Integer> switches = new LinkedHashMap<>();
    Map<Integer, List<int[]>> up = new LinkedHashMap<>();
    for (Cable cable : file.inside(0)) {
      int nvSwitch = switches.computeIfAbsent(cable.high(),
          node -> plan.addDevice("nvswitch" + switches.size(), DeviceKind.SWITCH, settings.nvswitch()));
      int link = plan.connect(accelerators[cable.low()], nvSwitch, link(cable));
      up.computeIfAbsent(cable.low(), any -> new ArrayList<>()).add(new int[] {link, nvSwitch});
    }
    for (int nic = 0; nic < nics.length; nic++) {
      List<Cable> ports = file.nics().get(nic);
      int accelerator = accelerators[ports.get(0).low()];
      plan.connect(accelerator, nics[nic], wire(ports));
      plan.egressNic(accelerator, nics[nic]);
    }
    for (int accelerator : accelerators) {
      plan.forwardAsLastResort(accelerator, settings.nvswitch());
    }
    spread(plan, accelerators, up);
    try {
      return plan.routeByShortestPaths().build();
    } catch (IllegalStateException e) {
      throw new InvalidSettingException("file", "the servers are not connected inside: " + e.getMessage());
    }
  }

  // Messages between accelerators are spread over the NVSwitches that both are linked to.
  private static void spread(TierPlanBuilder plan, int[] accelerators, Map<Integer, List<int[]>> up) {
    up.forEach((from, links) -> up.forEach((to, others) -> {
      int[] channels = links.stream().filter(link -> others.stream().anyMatch(other -> other[1] == link[1]))
          .mapToInt(link -> TierPlan.channel(link[0], 0)).toArray();
      if (!from.equals(to) && channels.length > 1) {
        plan.route(accelerators[from], accelerators[to], channels);
      }
    }));
  }

  private void requireEqualServers() {
    List<List<Object>> first = shape(0);
    for (int server = 1; server < file.servers(); server++) {
      if (!shape(server).equals(first)) {
        throw new InvalidSettingException("file",
            "server " + server + " differs from server 0; as a tier of its own all"
                + " must be equal, so let the file be one tier: {accelerator: " + file.accelerators() + "}");
      }
    }
  }

  // The structure of a server, in numbers that do not depend on the server.
  private List<List<Object>> shape(int server) {
    List<List<Object>> shape = new ArrayList<>();
    Map<Integer, Integer> switches = new LinkedHashMap<>();
    for (Cable cable : file.inside(server)) {
      switches.putIfAbsent(cable.high(), switches.size());
      shape.add(List.of(
          cable.low() % file.perServer(), switches.get(cable.high()), cable.rate(), cable.latency()));
    }
    file.nics().stream().flatMap(List::stream).filter(cable -> cable.low() / file.perServer() == server)
        .forEach(cable -> shape.add(List.of(cable.low() % file.perServer(), "port", cable.rate())));
    return shape;
  }

  private static int[] numbers(List<Terminal> terminals, DeviceKind kind) {
    int[] found = new int[(int) terminals.stream().filter(each -> each.kind() == kind).count()];
    int count = 0;
    for (int i = 0; i < terminals.size(); i++) {
      if (terminals.get(i).kind() == kind) {
        found[count++] = i;
      }
    }
    return found;
  }

  private Link link(Cable cable) {
    return link(cable.rate(), cable.latency(), file.nvSwitch(cable.high()) ? Medium.PEER : Medium.NETWORK);
  }

  // An accelerator's ports and the NIC that stands for them are one device, so the link between them adds no time.
  private Link wire(List<Cable> ports) {
    long bits = ports.stream().mapToLong(port -> port.rate().bitsPerSecond()).sum();
    return link(DataRate.ofBitsPerSecond(bits), SimTime.ZERO, Medium.BUS);
  }

  private Link link(DataRate rate, SimTime latency, Medium medium) {
    return new LinkModel(
        rate, latency, settings.maxPayload(), settings.overhead(), settings.buffer(), Optional.empty(), 1, medium,
        Fraction.of(0), "");
  }
}
