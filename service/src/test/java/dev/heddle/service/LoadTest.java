package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many queued tasks and polling clients. With {@code -Dheddle.service.full=true} 1,000 tasks and 50 clients, and the
 * bound of 100 ms for 99 of 100 answers; without it fewer, and no bound of time, as builds share their machine.
 */
@DisabledOnOs(OS.WINDOWS)
class LoadTest {
  private static final boolean FULL = Boolean.getBoolean("heddle.service.full");
  private static final int TASKS = FULL ? 1000 : 60;
  private static final int CLIENTS = FULL ? 50 : 8;
  private static final int WORKERS = 2;
  private static final long WATCHED_MS = FULL ? 60_000 : 3000;
  private static final double MOST_MS = 100;

  @TempDir
  private Path data;

  /**
   * Runs a short process of the operating system for each task.
   *
   * @param open before which no task ends, so that all others wait in the queue
   */
  private record ShortRunner(CountDownLatch open) implements TaskRunner {
    @Override
    public Running start(Command command) throws IOException {
      Files.createDirectories(command.folder().resolve("results"));
      Files.writeString(command.folder().resolve("results/results.json"), ScriptedRunner.RESULTS);
      Process process = new ProcessBuilder("sleep", "0.05").start();
      return new Running() {
        @Override
        public OptionalInt await(Duration most) throws InterruptedException {
          return open.await(most.toMillis(), TimeUnit.MILLISECONDS)
              && process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)
                  ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
        }

        @Override
        public void kill() {
          process.destroyForcibly();
        }

        @Override
        public Optional<Mark> mark() {
          return Optional.of(new Mark("short", "" + process.pid()));
        }
      };
    }

    @Override
    public void end(Mark mark) {
      // No earlier service.
    }
  }

  @Test
  void shouldLoseNothingWhenManyTasksWaitAndClientsPoll() throws Exception {
    CountDownLatch open = new CountDownLatch(1);
    try (RunningService service = new RunningService(RunningService.settings(data), new ShortRunner(open))) {
      Set<String> ids = new LinkedHashSet<>();
      long begun = System.nanoTime();
      for (int i = 0; i < TASKS; i++) {
        ids.add(service.ask(i, 0).json().path("id").asText());
      }
      double asked = (System.nanoTime() - begun) / 1e9;
      assertThat(ids).hasSize(TASKS);
      assertThat(service.get("/tasks?limit=1").json().at("/counts/queued").asInt()).isEqualTo(TASKS - WORKERS);
      open.countDown();
      try (PollingClients clients = new PollingClients(CLIENTS, service.port(), List.copyOf(ids))) {
        JsonNode counts = service.get("/tasks?limit=1").json().path("counts");
        while (counts.path("done").asInt() < TASKS) {
          assertThat(counts.path("failed").asInt()).isZero();
          Thread.sleep(100);
          counts = service.get("/tasks?limit=1").json().path("counts");
        }
        report("load.txt", "asked in %.1f s, done after %.1f s; ".formatted(asked, (System.nanoTime() - begun) / 1e9),
            clients.end());
      }
      for (String id : ids) {
        assertThat(service.get("/tasks/" + id + "/summary").status()).isEqualTo(200);
      }
      assertThat(service.bugs()).isEmpty();
    }
  }

  @Test
  void shouldAnswerPromptlyWhenWorkersSimulate() throws Exception {
    try (ServeProcess service = new ServeProcess(data, Databases.named())) {
      Set<String> ids = new LinkedHashSet<>();
      for (int seed = 1; seed <= TASKS; seed++) {
        ids.add(service.ask(RunningService.question(
            "seed: " + seed + "\n" + RunningService.SCENARIO.replace("measure: 10 us", "measure: 1000 s"))));
      }
      try (PollingClients clients = new PollingClients(CLIENTS, service.port(), List.copyOf(ids))) {
        Thread.sleep(WATCHED_MS);
        report("load-simulating.txt", "two of them simulated all the time; ", clients.end());
      }
      JsonNode counts = service.get("/tasks?limit=1").path("counts");
      assertThat(counts.path("running").asInt()).isEqualTo(WORKERS);
      assertThat(counts.path("queued").asInt()).isEqualTo(ids.size() - WORKERS).isEqualTo(TASKS - WORKERS);
    }
  }

  private static void report(String file, String text, PollingClients.Times times) throws IOException {
    Files.writeString(Files.createDirectories(Path.of("target")).resolve(file),
        TASKS + " tasks " + text + CLIENTS + " clients, " + times + "\n");
    if (FULL) {
      assertThat(times.quantile(0.99)).isLessThan(MOST_MS);
    }
  }
}
