package dev.heddle.hpl.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.LayerReach;
import dev.heddle.hpl.LayerSettings;
import dev.heddle.hpl.RateSharing;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Precision;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the layers against rates of small clusters' links computed by hand. */
class ClusterSystemTest {
  private static final Accelerator V100 = new Accelerator(
      "V100", Vendor.NVIDIA, "volta", 70, 80, DataSize.parse("16 GiB"), DataRate.parse("900 GB/s"),
      Map.of(Precision.FP64, ComputeRate.parse("7.8 Tflop/s")));
  private static final Link NODE_LINK = Fabrics.link("128 Gb/s");
  private static final double PAYLOAD = Bisection.payloadRate(NODE_LINK);

  private static LayerOverrides overrides(LayerSettings... layers) {
    return new LayerOverrides(SimTime.parse("1 us"), SimTime.parse("2 us"), List.of(layers));
  }

  private static HplSystem system(Fabric fabric, LayerSettings... layers) {
    KernelSettings kernels =
        new KernelSettings(Optional.empty(), Fraction.of(0.5), 128, SimTime.ZERO, SimTime.ZERO);
    return ClusterSystem.of(fabric, kernels, overrides(layers), 384);
  }

  private static Tier node(int accelerators, int nics) {
    return new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, accelerators, DeviceKind.NIC, nics),
        Optional.of(Fabrics.virtualOutputSwitch()), Fabrics.star(NODE_LINK), Optional.of(V100), Optional.empty());
  }

  private static Fabric cluster(int nodes, int accelerators, int nics, Topology network) {
    return Fabric.of(List.of(node(accelerators, nics), Tier.outer("cluster", nodes, network)));
  }

  /** Two switches with half of the terminals each, and so many links of the terminals' rate between them. */
  private static Topology barbell(String rate, int between) {
    return terminals -> {
      Link link = Fabrics.link(rate);
      TierPlanBuilder plan = new TierPlanBuilder(terminals);
      int left = plan.addDevice("left", DeviceKind.SWITCH, Fabrics.virtualOutputSwitch());
      int right = plan.addDevice("right", DeviceKind.SWITCH, Fabrics.virtualOutputSwitch());
      for (int i = 0; i < terminals.size(); i++) {
        plan.connect(i, 2 * i < terminals.size() ? left : right, link);
      }
      for (int i = 0; i < between; i++) {
        plan.connect(left, right, link);
      }
      return plan.routeByShortestPaths().build();
    };
  }

  @Test
  void shouldDivideSharedLinksWhenLayersComeFromThem() {
    HplSystem system = system(cluster(3, 4, 1, Fabrics.star(Fabrics.link("400 Gb/s"))));
    assertThat(system.nodes()).isEqualTo(3);
    assertThat(system.devicesPerNode()).isEqualTo(4);
    assertThat(system.devicePeak()).isEqualTo(ComputeRate.parse("3.9 Tflop/s"));
    assertThat(system.layers()).extracting(LayerSettings::reach)
        .containsExactly(LayerReach.DEVICE, LayerReach.NODE, LayerReach.SYSTEM);
    LayerSettings memory = system.layers().get(0);
    assertThat(memory.rate()).isEqualTo(DataRate.parse("900 GB/s"));
    assertThat(memory.latency()).isEqualTo(SimTime.parse("1 us"));
    // To the next accelerator: two links and a switch of 100 ns each, and each link for a single message.
    LayerSettings node = system.layers().get(1);
    assertThat(node.rate().bytesPerSecond()).isCloseTo(PAYLOAD, Percentage.withPercentage(0.001));
    assertThat(node.latency()).isEqualTo(SimTime.parse("2.3 us"));
    // To the next node: four messages share the NIC's own link; six links, three switches, two NICs.
    LayerSettings network = system.layers().get(2);
    assertThat(network.rate().bytesPerSecond()).isCloseTo(PAYLOAD / 4, Percentage.withPercentage(0.001));
    assertThat(network.latency().nanos()).isEqualTo(2000 + 6 * 100 + 5 * 100);
    assertThat(network.blocking()).isEqualTo(1);
    assertThat(system.single()).isEqualTo(network);
  }

  @ParameterizedTest
  @CsvSource({"4, 1, 2", "4, 2, 1", "8, 1, 4", "8, 3, 1.3333", "6, 4, 1"})
  void shouldFindTheBlockingWhenHalvesArePoorlyJoined(int nodes, int between, double blocking) {
    HplSystem system = system(cluster(nodes, 1, 1, barbell("100 Gb/s", between)));
    assertThat(system.layers().get(1).blocking()).isCloseTo(blocking, within(1e-4));
    // The blocking is separate from the rate, and slows the layer.
    assertThat(system.layers().get(1).layer(1).beta())
        .isCloseTo(8 * blocking / system.layers().get(1).rate().bytesPerSecond(), Percentage.withPercentage(0.01));
  }

  @Test
  void shouldEndWithWhatThereIsWhenClusterIsSmall() {
    Fabric node = Fabric.of(List.of(node(4, 1)));
    assertThat(system(node).layers()).extracting(LayerSettings::reach)
        .containsExactly(LayerReach.DEVICE, LayerReach.SYSTEM);
    Fabric alone = Fabric.of(List.of(node(1, 1)));
    assertThat(system(alone).layers()).extracting(LayerSettings::name)
        .containsExactly("memory");
  }

  @Test
  void shouldPreferWhatTheUserSaysWhenLayerIsOverridden() {
    LayerSettings own = new LayerSettings(
        "mine", LayerReach.NODE, SimTime.parse("5 us"), DataRate.parse("7 GB/s"), RateSharing.DEVICES, 1);
    HplSystem system = system(cluster(2, 4, 1, Fabrics.star(NODE_LINK)), own);
    assertThat(system.layers().get(1)).isEqualTo(own);
    assertThat(system.layers()).hasSize(3);
  }

  @Test
  void shouldSayWhatIsMissingWhenClusterSaysTooLittle() {
    KernelSettings kernels = new KernelSettings(
        Optional.of(ComputeRate.parse("1 Tflop/s")), Fraction.of(1), 128, SimTime.ZERO, SimTime.ZERO);
    assertThatThrownBy(() -> ClusterSystem.of(Fabrics.oneNode(2), kernels, overrides(), 384))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("how fast its accelerators' memories are");
  }
}
