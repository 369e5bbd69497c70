package dev.heddle.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngine.Workers;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The texts that engines submit are run here as the batch systems run them, with programs that note their calls. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(60)
class EnginesTest {
  private static final List<String> ARGUMENTS = List.of("sweep", "a b.yaml", "--set", "x=it's 50 %");

  /** A reader that refuses unknown fields, which the model would keep beside its own. */
  private static final ObjectMapper STRICT = YAMLMapper.builder().annotationIntrospector(
      new JacksonAnnotationIntrospector() {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(Annotated annotated) {
          return false;
        }
      }).build();

  @TempDir
  private Path folder;
  private Path bin;

  @BeforeEach
  void makeFolder() throws IOException {
    bin = Files.createDirectory(folder.resolve("bin"));
  }

  private SweepJob job(Path program) {
    return new SweepJob("My study", 3, 2, folder, List.of(program.toString()), ARGUMENTS);
  }

  private Path script(String name, String text) throws IOException {
    Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
    return file;
  }

  private String shell(String text, Map<String, String> environment) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", text).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static SweepEngine slurm(List<String> options) {
    return new SlurmEngineProvider().create(
        new SlurmEngineProvider.Settings(
            Optional.of("long"), Optional.empty(), Optional.of("04:00:00"), Optional.of("8G"), Optional.of(2),
            options));
  }

  private SweepEngine kubernetes() {
    return new KubernetesEngineProvider().create(
        new KubernetesEngineProvider.Settings("registry.example/heddle:0.1", "shared", folder, "default", "2Gi",
            "kubectl"));
  }

  @Test
  void shouldRunEachWorkerOnceWhenATaskOfSlurmRunsTheScript() throws Exception {
    Path program = script("program", "for word in \"$@\"; do echo \"<$word>\"; done");
    String text = slurm(List.of("--qos=low")).manifest(job(program)).orElseThrow();
    assertThat(text.lines().filter(line -> line.startsWith("#SBATCH"))).contains(
        "#SBATCH \"--job-name=heddle-My study\"", "#SBATCH --array=1-3%2", "#SBATCH --cpus-per-task=2",
        "#SBATCH --partition=long", "#SBATCH --time=04:00:00", "#SBATCH --mem=8G", "#SBATCH --qos=low");
    assertThat(shell(text, Map.of("SLURM_ARRAY_TASK_ID", "3")))
        .isEqualTo("<sweep>\n<a b.yaml>\n<--set>\n<x=it's 50 %>\n<--shard>\n<3/3>\n");
  }

  @Test
  void shouldRunEachWorkerOnceWhenAPodRunsTheCommandOfTheManifest() throws Exception {
    script("heddle", "for word in \"$@\"; do echo \"<$word>\"; done");
    JsonNode manifest = new YAMLMapper().readTree(kubernetes().manifest(job(bin)).orElseThrow());
    assertThat(manifest.at("/apiVersion").asText() + " " + manifest.at("/kind").asText()).isEqualTo("batch/v1 Job");
    assertThat(manifest.at("/metadata/generateName").asText()).isEqualTo("heddle-my-study-");
    assertThat(manifest.at("/spec/completionMode").asText()).isEqualTo("Indexed");
    assertThat(manifest.at("/spec/completions").asInt()).isEqualTo(3);
    JsonNode container = manifest.at("/spec/template/spec/containers/0");
    assertThat(container.at("/volumeMounts/0/mountPath").asText()).isEqualTo(folder.toString());
    assertThat(manifest.at("/spec/template/spec/volumes/0/persistentVolumeClaim/claimName").asText())
        .isEqualTo("shared");
    assertThat(container.at("/command/0").asText() + container.at("/command/1").asText()).isEqualTo("/bin/sh-c");
    for (int index = 0; index < 3; index++) {
      assertThat(shell(container.at("/command/2").asText(), Map.of("JOB_COMPLETION_INDEX", "" + index)))
          .isEqualTo("<sweep>\n<a b.yaml>\n<--set>\n<x=it's 50 %>\n<--shard>\n<" + (index + 1) + "/3>\n");
    }
  }

  @Test
  void shouldHoldOnlyFieldsOfAJobWhenKubernetesReadsTheManifest() throws Exception {
    String manifest = kubernetes().manifest(job(bin)).orElseThrow();
    Job read = STRICT.readValue(manifest, Job.class);
    assertThat(read.getSpec().getCompletionMode()).isEqualTo("Indexed");
    assertThat(read.getSpec().getTemplate().getSpec().getContainers().get(0).getResources().getLimits().get("memory"))
        .isEqualTo(Quantity.parse("2Gi"));
    assertThatThrownBy(() -> STRICT.readValue(manifest.replace("completions:", "completion:"), Job.class))
        .hasMessageContaining("Unrecognized field \"completion\"");
  }

  @Test
  void shouldFollowAndEndTheJobWhenKubectlAnswers() throws Exception {
    Path state = folder.resolve("state");
    Path kubectl = script("kubectl", "echo \"$*\" >> '" + folder + "/calls'\ncase $1 in\n"
        + "create) cat > '" + folder + "/manifest'; echo job.batch/heddle-my-study-x7 ;;\n"
        + "get) cat '" + state + "' ;;\nesac");
    Files.writeString(state, "{\"status\": {\"active\": 3}}");
    SweepEngine engine = new KubernetesEngineProvider().create(
        new KubernetesEngineProvider.Settings("heddle", "shared", folder, "lab", "2Gi", kubectl.toString()));
    Workers workers = engine.start(job(bin));
    assertThat(workers.name()).isEqualTo("Kubernetes' job.batch/heddle-my-study-x7");
    assertThat(Files.readString(folder.resolve("manifest"))).isEqualTo(engine.manifest(job(bin)).orElseThrow());
    assertThat(workers.running()).isTrue();
    Files.writeString(state, "{\"status\": {\"conditions\": [{\"type\": \"Complete\", \"status\": \"True\"}]}}");
    while (workers.running()) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    workers.cancel();
    assertThat(Files.readAllLines(folder.resolve("calls")))
        .startsWith("create --namespace lab --output=name --filename=-")
        .endsWith(
            "delete job.batch/heddle-my-study-x7 --namespace lab --ignore-not-found --cascade=foreground --wait=false");
  }

  @Test
  void shouldEndProcessesWhenTheLocalEngineIsCancelled() throws Exception {
    Workers workers = new LocalEngineProvider().create(new LocalEngineProvider.Settings())
        .start(job(script("program", "exec sleep 60")));
    assertThat(workers.running()).isTrue();
    workers.cancel();
    assertThat(workers.running()).isFalse();
    workers.cancel();
  }

  @Test
  void shouldSayWhatIsMissingWhenAProgramOrAPathIsWrong() {
    SweepEngine absent = new KubernetesEngineProvider().create(new KubernetesEngineProvider.Settings(
        "heddle", "shared", folder, "default", "2Gi", "heddle-no-such-program"));
    assertThatThrownBy(() -> absent.start(job(bin)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("heddle-no-such-program is not installed");
    assertThatThrownBy(() -> slurm(List.of("qos=low"))).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("is no option of sbatch");
    SweepJob elsewhere = new SweepJob("a", 1, 1, Path.of("/elsewhere"), List.of(), List.of());
    assertThatThrownBy(() -> kubernetes().manifest(elsewhere)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("is not below the volume's mount");
  }
}
