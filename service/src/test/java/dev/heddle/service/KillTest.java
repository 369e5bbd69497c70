package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

  @TempDir
  private Path data;

  private final Optional<String> database = Databases.named();
  private ServeProcess service;

  @AfterEach
  void stop() throws InterruptedException {
    service.close();
  }

  @BeforeEach
  void start() throws IOException {
    service = new ServeProcess(data, database);
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
    String sweep = service.ask(sweep());
    Set<String> tasks = new LinkedHashSet<>();
    for (int i = 1; i <= TASKS; i++) {
      tasks.add(service.ask(RunningService.question("seed: " + i + "\n" + RunningService.SCENARIO)));
    }
    Set<String> kept = new LinkedHashSet<>();
    for (int kill = 1; kill <= KILLS; kill++) {
      int least = kept.size() + 2;
      await(() -> finished(sweep).size() >= least || !state(sweep).equals("running") && !state(sweep).equals("queued"));
      service.kill();
      kept.addAll(finished(sweep));
      start();
    }
    await(() -> state(sweep).equals("done"));
    assertThat(service.get("/tasks/" + sweep + "/summary").path("points")).hasSize(POINTS);
    assertThat(finished(sweep)).hasSize(POINTS).containsAll(kept);
    for (String task : tasks) {
      await(() -> state(task).equals("done"));
    }
    assertThat(service.get("/tasks/" + sweep).path("attempts").asInt()).isEqualTo(1 + KILLS);
    Files.writeString(Path.of("target/kill.txt"), KILLS + " kills: " + kept.size() + " of " + POINTS
        + " points and " + TASKS + " tasks kept\n");
  }

  private String state(String id) throws IOException, InterruptedException {
    return service.get("/tasks/" + id).path("state").asText();
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
