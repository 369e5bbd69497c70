package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FidelityOptionTest {
  // A third party's network model, which calls itself 'slow-1' or 'slow-2' by its setting.
  private static final String MODEL = """
      public final class SlowProvider implements dev.heddle.network.NetworkModelProvider<SlowProvider.Settings> {
        public record Settings(@Setting(value = "factor", def = "1", min = "1", max = "2") int factor) {}
        public String id() { return "slow"; }
        public String description() { return "A slow network"; }
        public Class<Settings> settings() { return Settings.class; }
        public dev.heddle.network.NetworkModel create(Settings settings) {
          return new dev.heddle.network.NetworkModel() {
            public String id() { return "slow-" + settings.factor(); }
            public dev.heddle.network.Network network(dev.heddle.fabric.Fabric fabric, dev.heddle.engine.Job job,
                dev.heddle.network.RunOptions options, dev.heddle.observe.NetworkObserver observer) {
              return dev.heddle.sim.Fidelity.FLOW.network(fabric, job, options, observer);
            }
          };
        }
      }
      """;

  @TempDir
  private Path folder;

  private Registry registry() throws IOException {
    Path jar = new PluginJar().source("SlowProvider", MODEL).provides(NetworkModelProvider.class, "SlowProvider")
        .write(folder.resolve("slow.jar"));
    return Registry.discover(FidelityOptionTest.class.getClassLoader(), List.of(jar));
  }

  @Test
  void shouldTakeANetworkModelOfAJarByItsIdOrWithSettings() throws IOException {
    try (Registry registry = registry()) {
      assertThat(FidelityOption.model(registry, "--fidelity", "slow").id()).isEqualTo("slow-1");
      assertThat(FidelityOption.model(registry, "--fidelity", "{type: slow, factor: 2}").id()).isEqualTo("slow-2");
      assertThat(FidelityOption.model(registry, "--fidelity", "flow", List.of("estimate")).map(NetworkModel::id))
          .contains("flow");
      assertThat(FidelityOption.model(registry, "--fidelity", "estimate", List.of("estimate"))).isEmpty();
    }
  }

  @Test
  void shouldNameAllValuesAndTheNearestWhenThereIsNoSuchNetworkModel() throws IOException {
    try (Registry registry = registry()) {
      assertThatThrownBy(() -> FidelityOption.model(registry, "--fidelity", "slwo", List.of("estimate")))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("--fidelity slwo: there is no such fidelity; write one of estimate, analytic, flow, packet, slow;"
              + " did you mean 'slow'?");
      assertThatThrownBy(() -> FidelityOption.model(registry, "--fidelity", "{type: slow, factor: 3}"))
          .isInstanceOf(ScenarioException.class).hasMessageContaining("--fidelity").hasMessageContaining("factor");
    }
  }
}
