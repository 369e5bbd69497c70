package dev.heddle.topology.simai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.Topology;
import dev.heddle.topology.simai.AstraSimTopologyProvider.Settings;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AstraSimTopologyTest extends TopologyContract<Settings> {
  private static final String RING =
      "topology: [ Ring ]\nnpus_count: [ 8 ]  # NPUs\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n";
  private static final String THREE = "topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2, 8, 4 ]\n"
      + "bandwidth: [ 200.0, 100.0, 50.0 ]\nlatency: [ 50.0, 500.0, 2000.0 ]\n";

  @TempDir
  private static Path folder;

  private static Settings settings(String text) {
    try {
      Path file = Files.writeString(folder.resolve(Integer.toHexString(text.hashCode()) + ".yml"), text);
      Switch plain = new GenericSwitchProvider()
          .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));
      return new Settings(file, DataSize.parse("1 GiB"), DataSize.ofKiB(4), DataSize.ZERO, plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Fabric fabric(String text, int npus) {
    return Fabric.of(List.of(new Tier("node", 1, Map.of(DeviceKind.ACCELERATOR, npus), Optional.empty(),
        new AstraSimTopologyProvider().create(settings(text)))));
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new AstraSimTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(RING), settings(THREE));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(settings(RING.replace("Ring", "Torus")));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, NetworkFile.read(settings.file()).npus()));
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, 7), Fabrics.terminals(DeviceKind.NIC, 8));
  }

  // NPU 0 to NPU 1 along the ring, to 14 along the mesh, to 48 through a switch; to 63 along all three.
  @ParameterizedTest
  @CsvSource({"1, 50", "14, 500", "48, 4000", "63, 4550"})
  void shouldAddTheLatenciesOfTheDimensionsWhenNpusDiffer(int npu, long nanoseconds) {
    assertThat(fabric(THREE, 64).routePs(0, npu)).isEqualTo(nanoseconds * 1000);
  }

  @Test
  void shouldTakeTheShorterArcOfARing() {
    Fabric ring = fabric(RING, 8);

    assertThat(ring.route(0, 3)).hasSize(3);
    assertThat(ring.route(0, 6)).hasSize(2);
    assertThat(ring.name(ring.linkTarget(ring.route(0, 4)[0]))).isEqualTo("node.accelerator1");
  }

  @Test
  void shouldTakeGigabytesOfTheBackEnd() {
    Fabric ring = fabric(RING, 8);

    assertThat(ring.linkModel(0).rate().bitsPerSecond()).isEqualTo(50L << 33);
  }

  /**
   * ASTRA-sim's documentation prints 64,440 cycles (ns) for an all_reduce of 1 MiB on this ring in four chunks, one
   * after the other: the messages, 10 ns of endpoint delay for each of the 56 steps, and of each of the 28 steps that
   * reduce three transfers of 32 KiB at 1,600 GB/s of memory [astra-sim-docs, argument-workload-config.md;
   * Ring_4chunks.json]. The messages are the part of the network.
   */
  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTakeAsLongAsAstraSimPrintsWhenARingReduces(Fidelity fidelity) {
    double network = new Simulation(
        "ring", fabric(RING, 8), new CollectiveWorkloadProvider().create(
            CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(256)).repeats(4)),
        SimulationOptions.defaults(), 1).at(fidelity).with(RingAlgorithmProvider.single()).run().run()
        .simulatedPs() / 1e3;

    double endpoints = 56 * 10;
    double reductions = 28 * 3 * 32_768 / 1600.;
    assertThat(network + endpoints + reductions).isCloseTo(64_440, withinPercentage(.1));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "Switch, Switch | 1024, 1024 | npus_count makes 1048576 NPUs; at most 8192 are read, as routes are kept for",
      "FullyConnected, Ring | 4096, 2 | has 16781312 links; at most 1048576 are read"})
  void shouldRefuseNetworksThatNeedMoreMemoryThanThereIs(String shapes, String npus, String message) {
    String text = "topology: [ " + shapes + " ]\nnpus_count: [ " + npus
        + " ]\nbandwidth: [ 50, 50 ]\nlatency: [ 1, 1 ]\n";

    assertThatThrownBy(() -> provider().create(settings(text)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "Ring | Rings | topology 'Rings' is not known; there are Ring, FullyConnected, Switch; did you mean 'Ring'?",
      "[ 8 ] | [ 1 ] | npus_count of dimension 0 is '1'; it is a number from 2 to 8192",
      "[ 8 ] | [ 8, 2 ] | npus_count has 2 entries, but topology has 1; each list has an entry per dimension",
      "latency | latencies | unknown key 'latencies'; allowed are topology, npus_count, bandwidth, latency",
      "50.0 | fast | bandwidth of dimension 0 is 'fast'; it is a number from 0.001 to 1000000"})
  void shouldNameFileAndDimensionWhenAFileIsWrong(String part, String instead, String message) {
    assertThatThrownBy(() -> provider().create(settings(RING.replace(part, instead))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
