package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tasks by a program in place of kubectl; their pods' commands are run here. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class KubernetesTaskRunnerTest {
  @TempDir
  private Path folder;
  private Path task;
  private Path state;

  @BeforeEach
  void makeFolder() throws IOException {
    task = Files.createDirectory(folder.resolve("0123"));
    state = Files.writeString(folder.resolve("state"), "{\"status\": {\"active\": 1}}");
    script("kubectl", "echo \"$*\" >>'" + folder + "/calls'\ncase $1 in\n"
        + "create) cat >'" + folder + "/manifest'; echo job.batch/heddle-task-0123-x7 ;;\n"
        + "get) cat '" + state + "' ;;\n"
        + "delete) echo 'Error (NotFound)' >&2; sed -i 's/.*/{\"status\": {\"conditions\":"
        + " [{\"type\": \"Failed\", \"status\": \"True\"}]}}/' '" + state + "' ;;\nesac");
    script("heddle", "echo \"$HEDDLE_JAVA_OPTS\"; for word in \"$@\"; do echo \"<$word>\"; done; exit 7");
  }

  private void script(String name, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private TaskRunner runner(Path mount) {
    return new KubernetesTaskRunnerProvider().create(new KubernetesTaskRunnerProvider.Settings(
        "heddle:1", "shared", mount, "lab", Optional.empty(), folder.resolve("kubectl").toString()));
  }

  private TaskRunner.Command command() {
    return new TaskRunner.Command(new TaskRunner.Launch(List.of("java", "Main"), List.of("-Xmx512m"), Map.of(), 512),
        List.of("run", "a b.yaml", "--set=x=it's"), task, false);
  }

  @Test
  void shouldKeepOutputAndExitCodeWhenAPodRunsTheCommandOfTheManifest() throws Exception {
    TaskRunner.Running running = runner(folder).start(command());
    assertThat(running.await(Duration.ofMillis(50))).isEmpty();
    assertThat(running.begun()).isFalse();
    JsonNode manifest = new YAMLMapper().readTree(folder.resolve("manifest").toFile());
    JsonNode container = manifest.at("/spec/template/spec/containers/0");
    assertThat(container.at("/resources/limits/memory").asText()).isEqualTo("896Mi");
    ProcessBuilder pod = new ProcessBuilder(
        container.at("/command/0").asText(), container.at("/command/1").asText(), container.at("/command/2").asText());
    pod.environment().put("PATH", folder + ":" + System.getenv("PATH"));
    assertThat(pod.start().waitFor()).isZero();
    assertThat(running.await(Duration.ofSeconds(20))).isEqualTo(OptionalInt.of(7));
    assertThat(running.begun()).isTrue();
    assertThat(task.resolve(TaskFolder.OUTPUT)).content()
        .isEqualTo("-Xmx512m -Dheddle.live.run=live.json\n<run>\n<a b.yaml>\n<--set=x=it's>\n");
    running.kill();
    assertThat(Files.readAllLines(folder.resolve("calls"))).noneMatch(call -> call.startsWith("delete"));
  }

  @Test
  void shouldDeleteTheJobWhenTaskIsKilledOrLeftByAnEarlierService() throws Exception {
    TaskRunner.Running running = runner(folder).start(command());
    TaskRunner.Mark mark = running.mark().orElseThrow();
    assertThat(mark.toString()).isEqualTo("kubernetes:job.batch/heddle-task-0123-x7");
    running.kill();
    runner(folder).end(mark);
    String delete = "delete job.batch/heddle-task-0123-x7 --namespace lab --ignore-not-found --cascade=foreground"
        + " --wait=false";
    assertThat(Files.readAllLines(folder.resolve("calls"))).filteredOn(delete::equals).hasSize(2);
  }

  @Test
  void shouldSayThatPodsCannotSeeTheFolderWhenItIsNotOnTheVolume() {
    assertThatThrownBy(() -> runner(Path.of("/elsewhere")).start(command()))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("is not below the volume's mount");
  }
}
