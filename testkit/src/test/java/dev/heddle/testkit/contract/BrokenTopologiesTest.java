package dev.heddle.testkit.contract;

import static dev.heddle.testkit.contract.Contracts.failures;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Topologies and providers that break one rule each; the contract must catch every one of them. */
class BrokenTopologiesTest {
  /** The fault of a toy. */
  record Settings(@Setting("its fault") String fault, int unannotated) {}

  /** A star whose plan has a given fault. */
  public static final class Toy implements TopologyProvider<Settings> {
    private static final AtomicInteger PLANS = new AtomicInteger();

    @Override
    public String id() {
      return "Toy_" + PLANS.incrementAndGet();
    }

    @Override
    public String description() {
      return "two\nlines";
    }

    @Override
    public Class<Settings> settings() {
      return Settings.class;
    }

    @Override
    public Topology create(Settings settings) {
      return terminals -> plan(settings.fault(), terminals);
    }

    private static TierPlan plan(String fault, List<Terminal> terminals) {
      return fault.equals("deadlocks") ? ring(terminals) : star(fault, terminals);
    }

    // A switch per terminal in a ring of small buffers, all traffic clockwise: each route ends, all together deadlock.
    private static TierPlan ring(List<Terminal> terminals) {
      TierPlanBuilder plan = new TierPlanBuilder(terminals);
      Link link = Fabrics.bufferedLink("100 Gb/s", DataSize.ofKiB(4));
      int count = terminals.size();
      int[] switches = new int[count];
      int[] down = new int[count];
      for (int i = 0; i < count; i++) {
        switches[i] = plan.addDevice("switch" + i, DeviceKind.SWITCH, Fabrics.virtualOutputSwitch());
        down[i] = TierPlan.channel(plan.connect(switches[i], i, link), 0);
      }
      for (int i = 0; i < count; i++) {
        int right = TierPlan.channel(plan.connect(switches[i], switches[(i + 1) % count], link), 0);
        for (int to = 0; to < count; to++) {
          plan.route(switches[i], to, i == to ? down[i] : right);
        }
      }
      return plan.routeByShortestPaths().build();
    }

    private static TierPlan star(String fault, List<Terminal> terminals) {
      List<Terminal> used = fault.equals("renames") ? Fabrics.terminals(DeviceKind.CPU, terminals.size()) : terminals;
      TierPlanBuilder plan = new TierPlanBuilder(used);
      String suffix = fault.equals("changes") ? "" + PLANS.incrementAndGet() : "";
      int left = plan.addDevice("left" + suffix, DeviceKind.SWITCH, Fabrics.virtualOutputSwitch());
      int right = plan.addDevice("right", DeviceKind.SWITCH, Fabrics.virtualOutputSwitch());
      int across = plan.connect(left, right, Fabrics.link("100 Gb/s"));
      for (int i = 0; i < terminals.size(); i++) {
        if (!(fault.equals("unconnected") && i == 0)) {
          plan.connect(i, i % 2 == 0 ? left : right, Fabrics.link("100 Gb/s"));
        }
      }
      if (fault.equals("loops")) {
        plan.route(left, 0, TierPlan.channel(across, 0)).route(right, 0, TierPlan.channel(across + 1, 0));
      }
      return plan.routeByShortestPaths().build();
    }
  }

  abstract static class ToyContract extends TopologyContract<Settings> {
    abstract String fault();

    @Override
    protected Provider<Settings, Topology> provider() {
      return new Toy();
    }

    @Override
    protected List<Settings> settings() {
      return List.of(new Settings(fault(), 0));
    }

    @Override
    protected List<Settings> refusedSettings() {
      return fault().equals("accepts") ? settings() : List.of();
    }

    @Override
    protected List<List<Terminal>> connectable(Settings settings) {
      return List.of(Fabrics.terminals(DeviceKind.NIC, 4));
    }

    @Override
    protected List<List<Terminal>> refused(Settings settings) {
      return fault().equals("accepts") ? connectable(settings) : List.of();
    }
  }

  static class Changing extends ToyContract {
    @Override
    String fault() {
      return "changes";
    }
  }

  static class Unconnected extends ToyContract {
    @Override
    String fault() {
      return "unconnected";
    }
  }

  static class Looping extends ToyContract {
    @Override
    String fault() {
      return "loops";
    }
  }

  static class Deadlocking extends ToyContract {
    @Override
    String fault() {
      return "deadlocks";
    }
  }

  static class Renaming extends ToyContract {
    @Override
    String fault() {
      return "renames";
    }
  }

  static class Accepting extends ToyContract {
    @Override
    String fault() {
      return "accepts";
    }
  }

  @Test
  void shouldFailProviderRulesWhenProviderBreaksThem() {
    assertThat(failures(Accepting.class))
        .containsExactlyInAnyOrder(
            "provider1ShouldBeRegisteredUnlessDeclined",
            "provider2ShouldHaveConstantIdOfAllowedForm",
            "provider3ShouldDescribeItselfInOneLine",
            "provider4ShouldAnnotateEverySettingInRecord",
            "provider5ShouldNameComponentWhenSettingsDoNotFit",
            "topology4ShouldRefuseWhatItCannotConnect");
  }

  @Test
  void shouldFailRule1WhenPlanChanges() {
    assertThat(failures(Changing.class)).contains("topology1ShouldPlanAlikeForSameTerminals");
  }

  @Test
  void shouldFailRule2WhenTerminalIsUnconnected() {
    assertThat(failures(Unconnected.class)).contains("topology2ShouldConnectEveryTerminalToEveryOther");
  }

  @Test
  void shouldFailRule3WhenRoutesLoop() {
    assertThat(failures(Looping.class)).contains("topology3ShouldRouteWithoutLoopsWhicheverCandidateIsTaken");
  }

  @Test
  void shouldFailRule3WhenRoutesDeadlock() {
    assertThat(failures(Deadlocking.class))
        .contains("topology3ShouldDeliverAllToAllWithoutDeadlock")
        .doesNotContain("topology3ShouldRouteWithoutLoopsWhicheverCandidateIsTaken");
  }

  @Test
  void shouldFailRule5WhenTerminalsAreRenamed() {
    assertThat(failures(Renaming.class)).contains("topology5ShouldKeepIndicesOfTerminals");
  }
}
