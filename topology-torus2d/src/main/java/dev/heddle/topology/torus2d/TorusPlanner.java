package dev.heddle.topology.torus2d;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchModel;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * Plans a torus: each rank with its memory, the memories of a chip on its fabric, chips on their links. A rank's
 * messages are read from its memory and written to the receiver's.
 */
final class TorusPlanner {
  /** Queues of a rank, out and in: one for each of the chip's links, the others for traffic within the chip. */
  static final int QUEUES = TierPlan.MAX_VIRTUAL_CHANNELS;

  private static final int NONE = -1;

  private final TorusTopologyProvider.Settings settings;
  private final Torus torus;
  private final ChipRoutes routes;
  private final List<Queues> queues = new ArrayList<>();
  // The chip of each terminal that hangs on one.
  private final Map<Integer, Integer> attached = new LinkedHashMap<>();
  private int[] chips = new int[0];

  /** The output path of a rank: the bus of its memory, and that memory's link to its chip. */
  private record Queues(int rank, int memory, int chip, int bus, int fabric) {}

  TorusPlanner(TorusTopologyProvider.Settings settings, Torus torus, boolean datelines) {
    this.settings = settings;
    this.torus = torus;
    routes = new ChipRoutes(torus, settings.routing(), datelines);
  }

  TierPlan plan(List<Terminal> terminals) {
    int[] ranks = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    int[] nics = Terminal.numbers(terminals, DeviceKind.NIC);
    int[] cpus = Terminal.numbers(terminals, DeviceKind.CPU);
    check(terminals, ranks, nics, cpus);
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    chips = new int[torus.chips()];
    for (int chip = 0; chip < chips.length; chip++) {
      chips[chip] = plan.addDevice(torus.name(chip), DeviceKind.SWITCH, settings.chip().forwarding());
    }
    joinChips(plan);
    addRanks(plan, ranks);
    for (int i = 0; i < nics.length; i++) {
      int chip = (int) ((long) i * chips.length / nics.length);
      int link = plan.connect(nics[i], chips[chip], settings.nic().orElseThrow());
      route(plan, nics[i], chip, TierPlan.channel(link ^ 1, 0));
    }
    addCpus(plan, cpus);
    queueByDeparture(plan, terminals.size());
    return plan.selection(settings.routing() == Routing.ADAPTIVE
        ? TierPlan.Selection.ADAPTIVE : TierPlan.Selection.MESSAGE_HASH).routeByShortestPaths().build();
  }

  private void check(List<Terminal> terminals, int[] ranks, int[] nics, int[] cpus) {
    int wanted = torus.chips() * settings.chip().ranks();
    if (ranks.length != wanted || ranks.length + nics.length + cpus.length != terminals.size()) {
      throw new InvalidSettingException("", "a " + torus + " of chips of " + settings.chip().ranks()
          + " logical cores joins " + wanted + " accelerators, besides NICs and CPUs; there are " + ranks.length
          + " accelerators among " + terminals.size() + " terminals");
    }
    require("nic", nics.length, settings.nic());
    require("cpu", cpus.length, settings.cpu());
    if (cpus.length > torus.chips()) {
      throw new InvalidSettingException("cpu",
          cpus.length + " CPUs for " + torus.chips() + " chips; a CPU has at least 1");
    }
  }

  private static void require(String component, int count, Optional<Link> link) {
    if (count > 0 && link.isEmpty()) {
      throw new InvalidSettingException(component, "missing: the node has " + count + " of them");
    }
  }

  private void joinChips(TierPlanBuilder plan) {
    for (int chip = 0; chip < chips.length; chip++) {
      for (int dimension = 0; dimension < torus.dimensions(); dimension++) {
        if (torus.hasLinkUp(chip, dimension)) {
          Link link = settings.links().get(settings.links().size() == 1 ? 0 : dimension);
          routes.join(chip, dimension, plan.connect(chips[chip], chips[torus.moved(chip, dimension, 1)], link));
        }
      }
    }
  }

  private void addRanks(TierPlanBuilder plan, int[] ranks) {
    Chip chip = settings.chip();
    Link read = new MemoryBus(chip.memoryPerRank(), chip.memoryLatency(), true, chip.fabricBuffer());
    Link write = new MemoryBus(chip.memoryPerRank(), chip.memoryLatency(), false, Optional.empty());
    Link fabric = fabric(chip);
    Switch engines = engines();
    for (int rank = 0; rank < ranks.length; rank++) {
      int memory = plan.addDevice("hbm" + rank, DeviceKind.MEMORY, engines);
      int home = rank / chip.ranks();
      int own = ranks[rank];
      int bus = plan.connect(own, memory, read, write);
      int link = plan.connect(memory, chips[home], fabric);
      // DMA rings are served by turns [AWS Neuron documentation, Compute-Communication Overlap].
      plan.vcByInputPort(link ^ 1);
      queues.add(new Queues(own, memory, home, bus, link));
      route(plan, own, home, TierPlan.channel(link ^ 1, 0));
    }
  }

  // DMA engines have enough queues that traffic waiting for one of the chip's links, or for one memory of the chip,
  // does not block traffic to other destinations.
  private void queueByDeparture(TierPlanBuilder plan, int terminals) {
    int[] homes = new int[terminals];
    Arrays.fill(homes, NONE);
    attached.forEach((terminal, chip) -> homes[terminal] = chip);
    int links = 2 * torus.dimensions();
    for (Queues of : queues) {
      int[] departures = new int[chips.length];
      Arrays.setAll(departures, chip -> routes.departure(of.chip(), chip));
      IntUnaryOperator queue = to -> homes[to] == of.chip() ? links + to % (QUEUES - links) : departures[homes[to]];
      plan.routes(of.rank(), to -> homes[to] == NONE ? NONE : TierPlan.channel(of.bus(), queue.applyAsInt(to)));
      plan.routes(of.memory(), to -> to == of.rank() || homes[to] == NONE
          ? NONE : TierPlan.channel(of.fabric(), queue.applyAsInt(to)));
    }
  }

  // A DMA engine reads a descriptor's bytes before it writes them, so that slow transfers do not block the memory's bus
  // for others.
  private static Switch engines() {
    return new SwitchModel(
        0, Switch.Switching.WHOLE_UNIT, Switch.Buffering.VIRTUAL_OUTPUT, Switch.Arbitration.ROUND_ROBIN, 0, 0);
  }

  private static Link fabric(Chip chip) {
    return new LinkModel(
        chip.fabricPerRank(), chip.fabricLatency(), DataSize.ofKiB(4), DataSize.ZERO, chip.fabricBuffer(),
        Optional.empty(), QUEUES, Medium.PEER, Fraction.of(0), "");
  }

  // A CPU has a link to each of its chips; those of others go by its first one.
  private void addCpus(TierPlanBuilder plan, int[] cpus) {
    int[] firstChip = new int[cpus.length];
    for (int chip = chips.length - 1; chip >= 0; chip--) {
      if (cpus.length > 0) {
        firstChip[(int) ((long) chip * cpus.length / chips.length)] = chip;
      }
    }
    for (int chip = 0; chip < chips.length; chip++) {
      for (int cpu = 0; cpu < cpus.length; cpu++) {
        boolean own = (long) chip * cpus.length / chips.length == cpu;
        if (own) {
          int link = plan.connect(chips[chip], cpus[cpu], settings.cpu().orElseThrow());
          plan.route(chips[chip], cpus[cpu], TierPlan.channel(link, 0));
        } else {
          plan.route(chips[chip], cpus[cpu], routes.towards(chip, firstChip[cpu]));
        }
      }
    }
  }

  // Routes from every chip to a terminal that hangs on one of them.
  private void route(TierPlanBuilder plan, int terminal, int home, int last) {
    attached.put(terminal, home);
    for (int chip = 0; chip < chips.length; chip++) {
      plan.route(chips[chip], terminal, chip == home ? new int[] {last} : routes.towards(chip, home));
    }
  }
}
