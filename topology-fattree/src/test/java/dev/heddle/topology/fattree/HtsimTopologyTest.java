package dev.heddle.topology.fattree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Terminal;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import dev.heddle.topology.fattree.HtsimTopologyProvider.Settings;
import dev.heddle.units.DataSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HtsimTopologyTest extends TopologyContract<Settings> {
  // 32 hosts on 4 leaves of 8, two spines: 4:1 oversubscribed.
  private static final String LEAF_SPINE = """
      Nodes 32
      Tiers 2
      Podsize 32

      Tier 0   # leaves
      Downlink_speed_Gbps 100
      Radix_Down 8
      Radix_Up 2
      Oversubscribed 4
      Downlink_Latency_ns 1000
      Switch_Latency_ns 300

      Tier 1
      downlink_speed_gbps 400
      Radix_Down 4
      Downlink_Latency_ns 500
      """;
  // Two pods of two leaves with two hosts each; cables to the cores in bundles of two.
  private static final String BUNDLED = """
      Nodes 8
      Tiers 3
      Podsize 4
      Tier 0
      Downlink_speed_Gbps 200
      Radix_Down 2
      Radix_Up 2
      Downlink_Latency_ns 1000
      Tier 1
      Downlink_speed_Gbps 200
      Radix_Down 2
      Radix_Up 4
      Downlink_Latency_ns 1000
      Bundle 1
      Tier 2
      Downlink_speed_Gbps 100
      Radix_Down 4
      Downlink_Latency_ns 1000
      Bundle 2
      """;

  @TempDir
  private static Path folder;

  private static Settings settings(String text) {
    try {
      Path file = Files.writeString(folder.resolve(Integer.toHexString(text.hashCode()) + ".topo"), text);
      return new Settings(
          file, DataSize.ofBytes(4086), DataSize.ofBytes(64), Fabrics.virtualOutputSwitch(), Routing.ECMP);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static TierPlan plan(String text, int hosts) {
    return new HtsimTopologyProvider().create(settings(text))
        .plan(Fabrics.terminals(DeviceKind.ACCELERATOR, hosts));
  }

  // Directed links from devices of one name to those of another.
  private static long links(TierPlan plan, String from, String to) {
    return IntStream.range(0, plan.links()).filter(link -> plan.name(plan.linkSource(link)).startsWith(from)
        && plan.name(plan.linkTarget(link)).startsWith(to)).count();
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new HtsimTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(LEAF_SPINE), settings(BUNDLED));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(settings(LEAF_SPINE.replace("Tiers 2", "Tiers 3")));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, HtsimTopology.read(settings.file()).hosts()));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, HtsimTopology.read(settings.file()).hosts() + 1));
  }

  @Test
  void shouldWireLeavesToEverySpineWhenFileHasTwoTiers() {
    TierPlan plan = plan(LEAF_SPINE, 32);

    assertThat(plan.devices()).isEqualTo(32 + 4 + 2);
    assertThat(links(plan, "leaf", "spine")).isEqualTo(8);
    assertThat(links(plan, "leaf0", "spine0")).isOne();
  }

  /** Each of the two aggregation switches of a pod has two cables to each of two cores of its own. */
  @Test
  void shouldCountCablesOfBundlesWhenFileHasThem() {
    TierPlan plan = plan(BUNDLED, 8);

    assertThat(plan.devices()).isEqualTo(8 + 4 + 4 + 4);
    assertThat(links(plan, "middle", "spine")).isEqualTo(16);
    assertThat(links(plan, "middle0", "spine")).isEqualTo(4);
  }

  /** Two links of each tier, both leaves and the spine between hosts of different leaves; the file's own rates. */
  @Test
  void shouldHaveRatesAndLatenciesOfFile() {
    Fabric fabric = Fabric.of(List.of(new Tier("net", 1, Map.of(DeviceKind.ACCELERATOR, 32), Optional.empty(),
        new HtsimTopologyProvider().create(settings(LEAF_SPINE)))));
    long own = 3 * Fabrics.virtualOutputSwitch().latencyPs();

    assertThat(fabric.routePs(0, 31)).isEqualTo(own + (2 * 1000 + 2 * 500 + 2 * 300) * 1000L);
    assertThat(HtsimTopology.read(settings(LEAF_SPINE).file()).diameterNs()).isEqualTo(3600);
    assertThat(fabric.linkModel(fabric.route(0, 31)[1]).rate().bitsPerSecond()).isEqualTo(400_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Radix_Up 2       | Radix_Upp 2      | :8: 'Radix_Upp' is no key of a tier; did you mean 'radix_up'?
      Radix_Up 2       | Radix_Up two     | :8: Radix_Up is 'two', which is no whole number of 1 to 65536
      Radix_Up 2       | Queue_Up 2       | :8: 'Queue_Up': sizes of queues are settings of forwarding
      Radix_Up 2       | Radix_Down 2     | :8: 'Radix_Down' stands twice
      Radix_Up 2       | Radix_Up 2 4     | :8: a line has a key and a number, such as 'Radix_Down 8', but here are 3
      Oversubscribed 4 | Oversubscribed 2 | tier 0: 'Oversubscribed 2', but 8 ports lead down and 2 up
      Radix_Up 2       | #                | tier 0: no line with 'radix_up'
      Podsize 32       | Podsize 16       | 'Podsize 16', but the ports down make pods of 32 hosts
      Nodes 32         | Nodes 64         | the ports down make a tree of 32 hosts, but 'Nodes' says 64
      Radix_Down 4     | Bundle 3         | tier 1: no line with 'radix_down'
      Tier 1           | Tier 2           | the tier is 2, but must be 1 to 1
      Tiers 2          | Tiers 4          | 'Tiers 4'; a tree of htsim has 2 or 3
      """)
  void shouldNameTheFaultWhenFileIsNoTree(String line, String instead, String message) {
    assertThatThrownBy(() -> new HtsimTopologyProvider().create(settings(LEAF_SPINE.replace(line, instead))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(".topo").hasMessageContaining(message);
  }
}
