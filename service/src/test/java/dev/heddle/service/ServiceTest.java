package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.service.RunningService.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceTest {
  @TempDir
  private Path data;

  private final ScriptedRunner runner = new ScriptedRunner();
  private RunningService service;

  @BeforeEach
  void start() throws IOException {
    service = new RunningService(RunningService.settings(data), runner);
  }

  @AfterEach
  void stop() {
    service.close();
    assertThat(service.bugs()).isEmpty();
  }

  private String id(Answer answer) {
    assertThat(answer.status()).as(answer.body()).isIn(200, 201);
    return answer.json().path("id").asText();
  }

  @Test
  void shouldAnswerWhenScenarioIsAsked() throws Exception {
    Answer asked = service.ask(1, 0);
    assertThat(asked.status()).isEqualTo(201);
    String id = id(asked);
    assertThat(asked.headers().get("location")).containsExactly("/api/v1/tasks/" + id);
    assertThat(service.get("/tasks/" + id + "/results").status()).isEqualTo(409);
    runner.letEnd(1);
    JsonNode task = service.await(id, "done");
    assertThat(task.path("parts").path("report").asBoolean()).isTrue();
    assertThat(task.path("parts").path("trace").asBoolean()).isFalse();
    assertThat(service.get("/tasks/" + id + "/summary").json().at("/metrics/0/id").asText()).isEqualTo("time");
    assertThat(service.get("/tasks/" + id + "/report").body()).startsWith("<!DOCTYPE html>");
    assertThat(service.get("/tasks/" + id + "/trace").status()).isEqualTo(404);
    assertThat(runner.started().get(0).arguments()).containsExactly("run", "scenario.yaml", "--out=results");
  }

  @Test
  void shouldAnswerAtOnceWhenQuestionWasAskedBefore() throws Exception {
    String id = id(service.ask(1, 0));
    runner.letEnd(1);
    service.await(id, "done");
    Answer again = service.ask(1, 3);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().path("id").asText()).isEqualTo(id);
    assertThat(again.json().path("state").asText()).isEqualTo("done");
    assertThat(id(service.ask(2, 0))).isNotEqualTo(id);
    assertThat(service.post("/check", RunningService.question("seed: 1\n" + RunningService.SCENARIO)).json()
        .path("state").asText()).isEqualTo("done");
    assertThat(runner.started()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void shouldStatePathsAndLinesWhenScenarioIsWrong() throws Exception {
    Answer refused = service.post("/tasks", RunningService.question(
        RunningService.SCENARIO.replace("load: 30 %", "load: 300 %").replace("type: star", "type: sta")));
    assertThat(refused.status()).isEqualTo(422);
    JsonNode faults = refused.json().path("faults");
    assertThat(faults).hasSize(2);
    assertThat(faults.at("/0/path").asText()).isEqualTo("cluster.tiers[0].topology.type");
    assertThat(faults.at("/0/line").asInt()).isEqualTo(8);
    assertThat(faults.at("/0/message").asText()).contains("did you mean 'star'?");
    assertThat(faults.at("/1/path").asText()).isEqualTo("workload.load");
  }

  @Test
  void shouldNameOptionWhenCommandLineRefusesIt() throws Exception {
    ObjectNode question = JsonNodeFactory.instance.objectNode().put("kind", "train");
    question.putObject("options").put("--nodes", "many");
    JsonNode refused = service.post("/tasks", question).json();
    assertThat(refused.at("/faults/0/path").asText()).isEqualTo("--nodes");
    question.putObject("options").put("--out", "/tmp/x");
    assertThat(service.post("/tasks", question).json().at("/faults/0/message").asText()).startsWith("is no option");
  }

  @Test
  void shouldKeepMessageWhenProcessFails() throws Exception {
    runner.failWith(2, "heddle: warning: ignored\nheddle: scenario.yaml:3: cluster.tiers: is too large\n");
    String id = id(service.ask(1, 0));
    runner.letEnd(1);
    JsonNode failed = service.await(id, "failed");
    assertThat(failed.at("/faults/0/path").asText()).isEqualTo("cluster.tiers");
    assertThat(failed.at("/faults/0/line").asInt()).isEqualTo(3);
    runner.failWith(0, "");
    assertThat(service.post("/tasks/" + id + "/retry", JsonNodeFactory.instance.objectNode()).status()).isEqualTo(200);
    runner.letEnd(1);
    assertThat(service.await(id, "done").path("attempts").asInt()).isEqualTo(2);
  }

  @Test
  void shouldEndProcessWhenTaskIsCancelled() throws Exception {
    String running = id(service.ask(1, 0));
    id(service.ask(2, 0));
    service.await(running, "running");
    String queued = id(service.ask(3, 0));
    assertThat(service.delete("/tasks/" + running).status()).isEqualTo(409);
    service.post("/tasks/" + queued + "/cancel", JsonNodeFactory.instance.objectNode());
    service.post("/tasks/" + running + "/cancel", JsonNodeFactory.instance.objectNode());
    service.await(queued, "cancelled");
    service.await(running, "cancelled");
    assertThat(runner.killed()).containsExactly(running);
    assertThat(runner.started()).hasSize(2);
    assertThat(service.delete("/tasks/" + running).status()).isEqualTo(204);
    assertThat(service.get("/tasks/" + running).status()).isEqualTo(404);
    assertThat(data.resolve("tasks").resolve(running)).doesNotExist();
  }

  @Test
  void shouldRunHigherPriorityFirstWhenTasksWait() throws Exception {
    service.close();
    ServiceSettings base = RunningService.settings(data);
    service = new RunningService(
        new ServiceSettings(
            base.address(), 0, List.of(), data, Optional.empty(), 1, Map.of(), Optional.empty(), base.limits()),
        runner);
    service.await(id(service.ask(1, 0)), "running");
    String low = id(service.ask(3, -1));
    String normal = id(service.ask(4, 0));
    String high = id(service.ask(5, 5));
    runner.letEnd(4);
    service.await(low, "done");
    List<String> order =
        runner.started().stream().map(command -> String.valueOf(command.folder().getFileName())).toList();
    assertThat(order.indexOf(high)).isLessThan(order.indexOf(normal));
    assertThat(order.indexOf(normal)).isLessThan(order.indexOf(low));
    assertThat(service.ask(6, 11).status()).isEqualTo(422);
  }

  @Test
  void shouldCountPointsWhenScenarioIsSwept() throws Exception {
    ObjectNode question = RunningService.question(RunningService.SCENARIO + "sweep: {workload.load: [10 %, 20 %]}\n");
    assertThat(service.post("/tasks", question).json().at("/faults/0/message").asText())
        .isEqualTo("the scenario has a sweep of 2 points: the kind is sweep");
    JsonNode task = service.post("/tasks", question.put("kind", "sweep")).json();
    assertThat(task.path("points").asInt()).isEqualTo(2);
    runner.letEnd(1);
    service.await(task.path("id").asText(), "done");
    assertThat(runner.started().get(0).points()).isTrue();
  }

  @Test
  void shouldLimitTasksWhenUsersHaveTokens() throws Exception {
    service.close();
    service = new RunningService(new ServiceSettings(
        "127.0.0.1", 0, List.of(), data, Optional.empty(), 2, Map.of("token-of-ann-1234", "ann"), Optional.empty(),
        new ServiceSettings.Limits(1 << 20, 3, 1, 60, 256, 10_000, 1000, 1000)), runner);
    String first = id(service.ask(1, 0));
    String second = id(service.ask(2, 0));
    service.await(first, "running");
    id(service.ask(3, 0));
    Answer refused = service.ask(4, 0);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(service.get("/tasks/" + second).json().path("state").asText()).isEqualTo("queued");
    assertThat(service.get("/tasks?user=ann&state=queued").json().path("tasks")).hasSize(2);
    assertThat(service.get("/tasks?user=bob").json().path("tasks")).isEmpty();
  }

  @Test
  void shouldSetFiguresSideBySideWhenRunsAreCompared() throws Exception {
    String a = id(service.ask(1, 0));
    String b = id(service.ask(2, 0));
    runner.letEnd(2);
    service.await(a, "done");
    service.await(b, "done");
    JsonNode compared = service.get("/compare?a=" + a + "&b=" + b).json();
    assertThat(compared.at("/metrics/0/changePct").asDouble()).isZero();
    assertThat(service.get("/compare?a=" + a).status()).isEqualTo(404);
  }

  @Test
  void shouldDescribePartsWhenFormsAskForThem() throws Exception {
    assertThat(service.get("/settings/workload/traffic").json().at("/settings/0/key").asText()).isEqualTo("load");
    assertThat(service.get("/settings/workload/none").status()).isEqualTo(404);
    assertThat(service.get("/presets/hgx-h100").json().path("text").asText()).contains("rail-fat-tree");
    assertThat(service.get("/kinds").json().at("/train/options/0/name").asText()).isEqualTo("--nodes");
    assertThat(service.post("/topology", JsonNodeFactory.instance.objectNode().put("preset", "hgx-h100")).json()
        .path("svg").asText()).startsWith("<svg");
    assertThat(service.get("/samples").json()).isEmpty();
  }
}
