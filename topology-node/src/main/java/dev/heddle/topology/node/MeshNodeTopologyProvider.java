package dev.heddle.topology.node;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Provides the node whose accelerators are joined by direct cables, without a switch, or not at all: a hybrid cube
 * mesh, all to all, or PCIe alone.
 */
@Plugin(id = "mesh-node", description = "A node of accelerators with cables between them, and PCIe to NICs and CPUs")
public final class MeshNodeTopologyProvider implements TopologyProvider<MeshNodeTopologyProvider.Settings> {
  /**
   * The settings of a node.
   *
   * @param peers the cables between accelerators
   * @param host connections of accelerators, NICs and CPUs
   * @param forwarding by an accelerator for its neighbours
   */
  public record Settings(
      @Setting("cables between accelerators, by kind of cable; without them, PCIe alone joins "
          + "accelerators") List<Peers> peers,
      @Setting("host side: connections of accelerators, NICs and CPUs") Host host,
      @Setting("forwarding by an accelerator for its neighbours; without it, only of traffic that has no other "
          + "path") Optional<Switch> forwarding) {
    /** Copies the list. */
    public Settings {
      peers = List.copyOf(peers);
    }
  }

  /**
   * Cables of one kind.
   *
   * @param link each of them
   * @param pairs of accelerators, each pair a list of two numbers; empty: every two
   */
  public record Peers(
      @Setting("link between two accelerators") Link link,
      @Setting(value = "pairs of accelerators that it joins, such as [[0, 1], [2, 3]]; without them, every two",
          min = "0") List<List<Integer>> pairs) {
    /** Copies the lists. */
    public Peers {
      pairs = pairs.stream().map(List::copyOf).toList();
    }
  }

  @Override
  public Topology create(Settings settings) {
    for (Peers peers : settings.peers()) {
      for (List<Integer> pair : peers.pairs()) {
        if (pair.size() != 2 || pair.get(0).equals(pair.get(1))) {
          throw new InvalidSettingException("peers", pair + " is no pair of two accelerators, such as [0, 1]");
        }
      }
    }
    return terminals -> plan(settings, terminals);
  }

  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    int[] accelerators = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    Set<List<Integer>> joined = new LinkedHashSet<>();
    for (Peers peers : settings.peers()) {
      for (List<Integer> pair : peers.pairs().isEmpty() ? everyTwo(accelerators.length) : peers.pairs()) {
        List<Integer> sorted = pair.stream().sorted().toList();
        if (sorted.get(1) >= accelerators.length) {
          throw new InvalidSettingException(
              "peers", pair + " names accelerator " + sorted.get(1) + ", but there are " + accelerators.length);
        }
        if (!joined.add(sorted)) {
          throw new InvalidSettingException("peers", "accelerators " + sorted + " are joined twice; one link with "
              + "the rate of both stands for two cables");
        }
        plan.connect(accelerators[sorted.get(0)], accelerators[sorted.get(1)], peers.link());
      }
    }
    HostLayout.add(settings.host(), plan, terminals);
    settings.forwarding().ifPresent(forwarding -> {
      for (int accelerator : accelerators) {
        plan.forward(accelerator, forwarding);
      }
    });
    return plan.routeByShortestPaths().build();
  }

  private static List<List<Integer>> everyTwo(int count) {
    List<List<Integer>> pairs = new ArrayList<>();
    for (int a = 0; a < count; a++) {
      for (int b = a + 1; b < count; b++) {
        pairs.add(List.of(a, b));
      }
    }
    return pairs;
  }
}
