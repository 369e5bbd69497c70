package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchitecturePresetTest {
  private static final String DESCRIBED = """
        accelerator: {name: D1, vendor: other, architecture: dojo, compute-units: 354, memory: 32 GiB,
          memory-bandwidth: 800 GB/s, peak: {bf16: 362 Tflop/s}}
      """.indent(4);

  @TempDir
  private Path folder;

  private Registry registry() throws IOException {
    Path jar = new PluginJar().file("META-INF/heddle/presets.index", "kernels-dojo\n")
        .file("META-INF/heddle/presets/kernels-dojo.yaml", "description: d\nsource: s\nvalue: {start: 1 us}\n")
        .write(folder.resolve("dojo.jar"));
    return Registry.discover(ArchitecturePresetTest.class.getClassLoader(), List.of(jar));
  }

  private static Fabric cluster(Registry registry, String accelerator) {
    String text =
        Cli.scenario().replace("terminals: {accelerator: 3}\n", "terminals: {accelerator: 3}\n" + accelerator);
    return new ScenarioReader(registry).parse("dojo.yaml", text, Map.of()).points().get(0).scenario().fabric();
  }

  @Test
  void shouldTakeThePresetOfAThirdPartysArchitecture() throws IOException {
    try (Registry registry = registry()) {
      Fabric cluster = cluster(registry, DESCRIBED);
      assertThat(ArchitecturePreset.find(registry, "kernels", cluster)).contains("{preset: kernels-dojo}");
      assertThat(ArchitecturePreset.require(registry, "kernels", cluster, "--kernels"))
          .isEqualTo("{preset: kernels-dojo}");
      assertThat(ArchitecturePreset.find(registry, "collectives", cluster)).isEmpty();
    }
  }

  @Test
  void shouldNameArchitectureAndPresetsWhenThereIsNone() throws IOException {
    try (Registry registry = registry()) {
      Fabric other = cluster(registry, DESCRIBED.replace("dojo", "dojo2"));
      assertThatThrownBy(() -> ArchitecturePreset.require(registry, "kernels", other, "--kernels"))
          .isInstanceOf(InvalidSettingException.class).hasMessage("there is no preset 'kernels-dojo2' for the"
              + " architecture 'dojo2', only kernels-dojo; give --kernels");
      Fabric unknown = cluster(registry, "");
      assertThatThrownBy(() -> ArchitecturePreset.require(registry, "kernels", unknown, "--kernels"))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage("the cluster does not state the architecture of its accelerators; give --kernels");
    }
  }
}
