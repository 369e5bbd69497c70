package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service as it is started, killed as by {@code kill -9} while it runs a sweep, and started again. With
 * {@code -Dheddle.service.full=true} it is killed five times amid 200 points and 20 tasks.
 */
@DisabledOnOs(OS.WINDOWS)
class KillTest {
  private static final boolean FULL = Boolean.getBoolean("heddle.service.full");
  private static final int POINTS = FULL ? 200 : 6;
  private static final int TASKS = FULL ? 20 : 1;
  private static final int KILLS = FULL ? 5 : 1;
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir
  private Path data;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Optional<String> database = Databases.named();
  private Process process;
  private String base = "";

  @AfterEach
  void stop() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  private void start() throws IOException {
    List<String> line = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "dev.heddle.cli.Main", "serve",
        "--port=0", "--workers=2", "--task-memory=256", "--data=" + data));
    database.ifPresent(url -> line.add("--database=" + url));
    process = new ProcessBuilder(line).redirectError(new File("target/kill-test.txt")).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String first = String.valueOf(out.readLine());
    Matcher address = ADDRESS.matcher(first);
    assertThat(address.find()).as(first).isTrue();
    base = "http://127.0.0.1:" + address.group(1) + "/api/v1";
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
    return MAPPER.readTree(response.body());
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(base + path)));
  }

  private String ask(ObjectNode question) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(base + "/tasks")).header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(question.toString()))).path("id").asText();
  }

  private ObjectNode sweep() {
    StringBuilder seeds = new StringBuilder();
    for (int seed = 1; seed <= POINTS; seed++) {
      seeds.append(seed == 1 ? "" : ", ").append(seed);
    }
    ObjectNode question = RunningService.question(RunningService.SCENARIO.replace("measure: 10 us",
        FULL ? "measure: 500 us" : "measure: 3 ms")
        + "sweep: {seed: [" + seeds + "]}\n").put("kind", "sweep");
    question.putObject("options").put("--threads", "1");
    return question;
  }

  private List<String> finished(String id) throws IOException {
    Path file = data.resolve("tasks").resolve(id).resolve("results/points.jsonl");
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    // The first line identifies the sweep; a last one may be cut off.
    return lines.size() < 2 ? List.of() : lines.subList(1, lines.size()).stream()
        .filter(line -> line.endsWith("}")).toList();
  }

  @Test
  void shouldLoseNothingWhenServiceIsKilled() throws Exception {
    start();
    String sweep = ask(sweep());
    Set<String> tasks = new LinkedHashSet<>();
    for (int i = 1; i <= TASKS; i++) {
      tasks.add(ask(RunningService.question("seed: " + i + "\n" + RunningService.SCENARIO)));
    }
    Set<String> kept = new LinkedHashSet<>();
    for (int kill = 1; kill <= KILLS; kill++) {
      int least = kept.size() + 2;
      await(() -> finished(sweep).size() >= least || !state(sweep).equals("running") && !state(sweep).equals("queued"));
      List<ProcessHandle> children = process.descendants().toList();
      assertThat(children).isNotEmpty();
      process.destroyForcibly().waitFor();
      for (ProcessHandle child : children) {
        child.onExit().get(20, TimeUnit.SECONDS);
      }
      kept.addAll(finished(sweep));
      start();
    }
    await(() -> state(sweep).equals("done"));
    assertThat(get("/tasks/" + sweep + "/summary").path("points")).hasSize(POINTS);
    assertThat(finished(sweep)).hasSize(POINTS).containsAll(kept);
    for (String task : tasks) {
      await(() -> state(task).equals("done"));
    }
    assertThat(get("/tasks/" + sweep).path("attempts").asInt()).isEqualTo(1 + KILLS);
    Files.writeString(Path.of("target/kill.txt"), KILLS + " kills: " + kept.size() + " of " + POINTS
        + " points and " + TASKS + " tasks kept\n");
  }

  private String state(String id) throws IOException, InterruptedException {
    return get("/tasks/" + id).path("state").asText();
  }

  /** A condition that may fail to be read. */
  private interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private static void await(Condition condition) throws IOException, InterruptedException {
    long until = System.nanoTime() + Duration.ofMinutes(FULL ? 15 : 5).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - until).isNegative();
      Thread.sleep(50);
    }
  }
}
