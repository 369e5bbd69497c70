package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Topology}. Routes are followed over every candidate, so the contract does not depend on the
 * checks of {@link TierPlanBuilder}; freedom from deadlock is tested in the packet network, by long messages from all
 * to all.
 *
 * @param <S> the settings record
 */
public abstract class TopologyContract<S extends Record> extends ProviderContract<S, Topology> {
  private static final int UNSEEN = Integer.MIN_VALUE;
  private static final int ON_PATH = Integer.MIN_VALUE + 1;
  private static final int MOST_MESSAGES = 2000;
  private static final int MESSAGE_BYTES = 40_000;

  /** Sets of terminals that a topology of these settings connects, at least one. */
  protected abstract List<List<Terminal>> connectable(S settings);

  /** Sets of terminals that it must refuse; none unless overridden. */
  protected List<List<Terminal>> refused(S settings) {
    return List.of();
  }

  private interface Rule {
    void check(List<Terminal> terminals, TierPlan plan);
  }

  @Test
  void topology1ShouldPlanAlikeForSameTerminals() {
    for (S settings : settings()) {
      Topology topology = product(settings);
      for (List<Terminal> terminals : connectable(settings)) {
        List<Object> first = content(topology.plan(terminals));
        assertThat(content(topology.plan(List.copyOf(terminals)))).as("%s", settings).isEqualTo(first);
        assertThat(content(product(settings).plan(terminals))).as("%s, made again", settings).isEqualTo(first);
      }
    }
  }

  private static List<Object> content(TierPlan plan) {
    List<Object> content = new ArrayList<>(List.of(plan.terminals(), plan.devices(), plan.links(), plan.selection()));
    for (int device = 0; device < plan.devices(); device++) {
      content.add(plan.name(device));
      content.add(plan.kind(device));
      for (int terminal = 0; terminal < plan.terminals(); terminal++) {
        content.add(Arrays.stream(plan.candidates(device, terminal)).boxed().toList());
      }
    }
    for (int link = 0; link < plan.links(); link++) {
      content.add(List.of(plan.linkSource(link), plan.linkTarget(link), plan.linkModel(link).rate()));
    }
    return content;
  }

  @Test
  void topology2ShouldConnectEveryTerminalToEveryOther() {
    forAll((terminals, plan) -> {
      for (int to = 0; to < plan.terminals(); to++) {
        int[] hops = hops(plan, to);
        for (int from = 0; from < plan.terminals(); from++) {
          if (plan.partial() && plan.candidates(from, to).length == 0) {
            assertThat(plan.candidates(to, from)).as("way back from %s to %s", plan.name(to), plan.name(from))
                .isEmpty();
            continue;
          }
          assertThat(hops[from]).as("route from %s to %s", plan.name(from), plan.name(to)).isNotNegative();
        }
      }
    });
  }

  @Test
  void topology2ShouldTakeLinksThatBeginAtTheDevice() {
    forAll((terminals, plan) -> {
      for (int device = 0; device < plan.devices(); device++) {
        for (int terminal = 0; terminal < plan.terminals(); terminal++) {
          for (int channel : plan.candidates(device, terminal)) {
            int link = TierPlan.linkOf(channel);
            assertThat(plan.linkSource(link)).as("route of %s", plan.name(device)).isEqualTo(device);
            assertThat(TierPlan.virtualChannelOf(channel))
                .as("virtual channel of a route of %s", plan.name(device))
                .isLessThan(plan.linkModel(link).credits().size());
          }
        }
      }
    });
  }

  @Test
  void topology3ShouldRouteWithoutLoopsWhicheverCandidateIsTaken() {
    forAll((terminals, plan) -> {
      for (int to = 0; to < plan.terminals(); to++) {
        hops(plan, to);
      }
    });
  }

  @Test
  void topology3ShouldDeliverAllToAllWithoutDeadlock() {
    for (S settings : settings()) {
      for (List<Terminal> terminals : connectable(settings)) {
        deliverAllToAll(settings, product(settings), terminals);
      }
    }
  }

  // All terminals send at once, each to a number of others that keeps the test short.
  private static <S> void deliverAllToAll(S settings, Topology topology, List<Terminal> terminals) {
    int count = terminals.size();
    Map<DeviceKind, Integer> node = new LinkedHashMap<>();
    terminals.forEach(terminal -> node.merge(terminal.kind(), 1, Integer::sum));
    Fabric fabric = Fabric.of(List.of(new Tier("node", 1, node, Optional.empty(), given -> topology.plan(terminals))));
    TierPlan plan = topology.plan(terminals);
    int peers = Math.min(count - 1, MOST_MESSAGES / count);
    List<Offer> offers = new ArrayList<>();
    for (int turn = 0; turn < peers; turn++) {
      int shift = 1 + (int) ((long) turn * (count - 1) / peers);
      for (int from = 0; from < count; from++) {
        if (plan.candidates(from, (from + shift) % count).length > 0) {
          offers.add(new Offer(from, (from + shift) % count, MESSAGE_BYTES));
        }
      }
    }
    Deliveries seen = Deliveries.of(fabric, offers, SimulationOptions.defaults());
    assertThat(seen.deliveries()).as("messages delivered by %s to %s terminals", settings, count).hasSameSizeAs(offers);
  }

  @Test
  void topology4ShouldRefuseWhatItCannotConnect() {
    for (S settings : settings()) {
      for (List<Terminal> terminals : refused(settings)) {
        Throwable thrown = catchThrowable(() -> product(settings).plan(terminals));
        assertThat(thrown).as("%s with %s terminals", settings, terminals.size())
            .isInstanceOf(InvalidSettingException.class);
        assertThat(thrown.getMessage()).as("message says how many it can").containsPattern("\\d");
      }
    }
  }

  @Test
  void topology5ShouldKeepIndicesOfTerminals() {
    forAll((terminals, plan) -> {
      assertThat(plan.terminals()).as("terminals").isEqualTo(terminals.size());
      for (int i = 0; i < terminals.size(); i++) {
        assertThat(plan.name(i)).as("name of terminal %s", i).isEqualTo(terminals.get(i).name());
        assertThat(plan.kind(i)).as("kind of terminal %s", i).isEqualTo(terminals.get(i).kind());
      }
    });
  }

  private void forAll(Rule rule) {
    for (S settings : settings()) {
      assertThat(connectable(settings)).as("terminals to connect by %s", settings).isNotEmpty();
      for (List<Terminal> terminals : connectable(settings)) {
        rule.check(terminals, product(settings).plan(terminals));
      }
    }
  }

  // The longest path of each terminal to another in hops; -1 where the path ends before it. Fails on a loop. Where
  // routes depend on the channel by which a message arrived, a position is that channel, else a device.
  private static int[] hops(TierPlan plan, int to) {
    Map<Integer, Integer> known = new LinkedHashMap<>();
    int[] hops = new int[plan.terminals()];
    for (int from = 0; from < plan.terminals(); from++) {
      hops[from] = from == to ? 0 : walk(plan, new Place(from, RouteFunction.NONE), to, known);
    }
    return hops;
  }

  private record Place(int device, int arrivedBy) {
    int key(TierPlan plan) {
      return plan.function() == null || arrivedBy == RouteFunction.NONE ? -1 - device : arrivedBy;
    }
  }

  private static int walk(TierPlan plan, Place place, int to, Map<Integer, Integer> known) {
    if (place.device() == to) {
      return 0;
    }
    int key = place.key(plan);
    int before = known.getOrDefault(key, UNSEEN);
    assertThat(before).as("a loop through %s on the way to %s", plan.name(place.device()), plan.name(to))
        .isNotEqualTo(ON_PATH);
    if (before != UNSEEN) {
      return before;
    }
    known.put(key, ON_PATH);
    int[] candidates = plan.candidates(place.device(), place.arrivedBy(), to);
    int longest = candidates.length == 0 ? -1 : 0;
    for (int channel : candidates) {
      int next = plan.linkTarget(TierPlan.linkOf(channel));
      assertThat(plan.linkSource(TierPlan.linkOf(channel))).as("start of a link").isEqualTo(place.device());
      boolean forwards = next == to || plan.forwarding(next) != null;
      int rest = forwards ? walk(plan, new Place(next, channel), to, known) : -1;
      longest = rest < 0 || longest < 0 ? -1 : Math.max(longest, rest + 1);
    }
    known.put(key, longest);
    return longest;
  }
}
