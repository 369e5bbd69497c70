package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.collectives.oneccl.NodeRates;
import dev.heddle.hpl.HplSystem;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.model.ModelShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every shipped preset can be used in at least one place of a scenario, and that this scenario runs. */
class PresetTest {
  private static final Registry REGISTRY = Registry.discover(PresetTest.class.getClassLoader(), List.of());

  private static final String LINK = """
      name: link
      cluster:
        tiers:
          - name: node
            terminals: {cpu: 4}
            topology: {type: star, link: {preset: %s}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final String SWITCH = """
      name: switch
      cluster:
        tiers:
          - name: node
            terminals: {cpu: 4}
            topology: {type: star, link: {type: generic, rate: 100 Gb/s}, centre: {preset: %s}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final String NODE = """
      name: node
      cluster:
        tiers:
          - preset: %s
          - name: cluster
            size: 4
            topology: {type: fat-tree, link: {type: infiniband}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final String NETWORK = """
      name: network
      cluster:
        tiers:
          - name: node
            terminals: {cpu: 1, nic: 8}
            nic: {type: generic, switching: whole-unit, latency: 100 ns}
            topology: {type: star, link: {type: generic, rate: 400 Gb/s}}
          - name: cluster
            size: 3
            topology: {preset: %s}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final String ADAPTER = """
      name: adapter
      cluster:
        tiers:
          - name: node
            terminals: {cpu: 1, nic: 1}
            nic: {type: generic, switching: whole-unit}
            topology: {type: pcie-tree}
          - name: cluster
            size: 2
            topology: {type: direct, link: {type: infiniband}}
      workload: {type: microbenchmark, hca: {preset: %s}}
      """;
  private static final String CLUSTER = """
      name: cluster
      fidelity: flow
      cluster: {preset: %s}
      workload: {type: traffic, pattern: shift, loop: closed, messages: 2, message-size: 64 KiB, shift: 3}
      """;
  private static final String HARDWARE = """
      name: hardware
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 1, cpu: 2}
            %s: {preset: %s}
            topology: {type: star, link: {type: generic, rate: 100 Gb/s}}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final String CHIP = """
      name: chip
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: %d, cpu: 2}
            topology:
              type: torus
              size: [2, 2]
              links: [{type: generic, rate: 100 Gb/s, virtual-channels: 2}]
              chip: {preset: %%s}
              cpu: {type: generic, rate: 100 Gb/s}
      workload: {type: traffic, pattern: all-to-all, loop: closed, messages: 6, participants: cpu}
      """;
  private static final Map<String, String> PLACES =
      ImmutableMap.<String, String>builder()
          .put("link", LINK).put("switch", SWITCH).put("innermost tier", NODE)
          .put("topology of nodes with eight NICs", NETWORK).put("adapter", ADAPTER)
          .put("cluster", CLUSTER)
          .put("accelerator", HARDWARE.formatted("accelerator", "%s"))
          .put("cpu", HARDWARE.formatted("cpu", "%s"))
          .put("chip of four ranks", CHIP.formatted(16))
          .put("chip of two ranks", CHIP.formatted(8))
          .build();

  static Stream<String> presets() {
    return REGISTRY.presets().stream().map(PresetResource::id);
  }

  @ParameterizedTest
  @MethodSource("presets")
  void shouldRunInOnePlaceAtLeastWhenPresetIsUsed(String preset) {
    List<String> refusals = new ArrayList<>();
    List<String> places = new ArrayList<>();
    places().forEach((place, use) -> {
      try {
        use.accept(preset);
        places.add(place);
      } catch (ScenarioException refused) {
        refusals.add(place + ": " + refused.getMessage());
      }
    });
    assertThat(places).as("places that take preset %s; refusals %s", preset, refusals).isNotEmpty();
  }

  // The uses of a preset by place: simulations of scenarios, and records with checks of their values.
  private static Map<String, Consumer<String>> places() {
    ImmutableMap.Builder<String, Consumer<String>> places = ImmutableMap.builder();
    PLACES.forEach((place, scenario) -> places.put(place, preset -> {
      Results results = new ScenarioReader(REGISTRY)
          .parse(place, scenario.formatted(preset), Map.of())
          .points().get(0).scenario().simulation().run();
      assertThat(results.metric("messages.delivered").orElseThrow().value()).isPositive();
    }));
    places.put("timing of GPUs", record(GpuTiming.class,
        timing -> assertThat(timing.port().bytesPerNano()).isPositive()));
    places.put("timing of networks", record(NetworkTiming.class,
        timing -> assertThat(timing.efficiency()).isBetween(0.5, 1.0)));
    places.put("system of HPL", record(HplSystem.class, system -> {
      double peak = (double) system.devicePeak().flopPerSecond() * system.nodes() * system.devicesPerNode();
      assertThat(system.layered(100_000).flopsPerSecond()).isBetween(peak / 1e6, peak);
    }));
    places.put("rates of a node", record(NodeRates.class,
        rates -> assertThat(rates.ranks(2, rates.gpus() * rates.tiles()).all())
            .isEqualTo(2 * rates.gpus() * rates.tiles())));
    places.put("model that is trained", record(ModelShape.class,
        model -> assertThat(model.flopsPerToken())
            .isGreaterThan(6.0 * (model.activeParameters() - model.embeddingParameters()))));
    places.put("figures of kernels", record(KernelTiming.class,
        kernels -> assertThat(kernels.tiles()).isNotEmpty()
            .allSatisfy(tile -> assertThat(tile.efficiency()).isBetween(0.1, 1.0))));
    places.put("algorithm of collectives", preset -> assertThat(new ScenarioReader(REGISTRY)
        .block(PluginKind.COLLECTIVE_ALGORITHM, preset, "{preset: " + preset + "}")).isNotNull());
    return places.buildOrThrow();
  }

  private static <T extends Record> Consumer<String> record(Class<T> type, Consumer<T> check) {
    return preset -> check.accept(new ScenarioReader(REGISTRY).record(type, preset, "{preset: " + preset + "}"));
  }

  @Test
  void shouldFindPresetsOfEveryModuleThatShipsThem() {
    assertThat(presets()).contains("cellia-node", "cellia-infiniband", "infiniband-xdr", "pcie-gen6-x16");
  }
}
