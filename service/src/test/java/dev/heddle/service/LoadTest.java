package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many queued tasks and polling clients. With {@code -Dheddle.service.full=true} 1,000 tasks and 50 clients, and the
 * bound of 100 ms for nine of ten answers; without it fewer, and no bound of time, as builds share their machine.
 */
@DisabledOnOs(OS.WINDOWS)
class LoadTest {
  private static final boolean FULL = Boolean.getBoolean("heddle.service.full");
  private static final int TASKS = FULL ? 1000 : 60;
  private static final int CLIENTS = FULL ? 50 : 8;
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
    public Running start(Command command) throws java.io.IOException {
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
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (RunningService service = new RunningService(RunningService.settings(data), new ShortRunner(open))) {
      Set<String> ids = new LinkedHashSet<>();
      long begun = System.nanoTime();
      for (int i = 0; i < TASKS; i++) {
        ids.add(service.ask(i, 0).json().path("id").asText());
      }
      double asked = (System.nanoTime() - begun) / 1e9;
      assertThat(service.get("/tasks?limit=1").json().at("/counts/queued").asInt()).isEqualTo(TASKS - 2);
      open.countDown();
      AtomicBoolean ended = new AtomicBoolean();
      List<Future<double[]>> polls = IntStream.range(0, CLIENTS)
          .mapToObj(client -> clients.submit(() -> poll(service, List.copyOf(ids), client, ended))).toList();
      JsonNode counts = service.get("/tasks?limit=1").json().path("counts");
      while (counts.path("done").asInt() < TASKS) {
        assertThat(counts.path("failed").asInt()).isZero();
        Thread.sleep(100);
        counts = service.get("/tasks?limit=1").json().path("counts");
      }
      ended.set(true);
      double drained = (System.nanoTime() - begun) / 1e9;
      double[] millis = new double[0];
      for (Future<double[]> poll : polls) {
        double[] more = poll.get(60, TimeUnit.SECONDS);
        int had = millis.length;
        millis = Arrays.copyOf(millis, had + more.length);
        System.arraycopy(more, 0, millis, had, more.length);
      }
      Arrays.sort(millis);
      assertThat(ids).hasSize(TASKS);
      for (String id : ids) {
        assertThat(service.get("/tasks/" + id + "/summary").status()).isEqualTo(200);
      }
      assertThat(service.bugs()).isEmpty();
      report(asked, drained, millis);
      if (FULL) {
        assertThat(millis[(int) (0.9 * millis.length)]).isLessThan(MOST_MS);
      }
    } finally {
      clients.shutdownNow();
    }
  }

  private void report(double asked, double drained, double[] millis) throws java.io.IOException {
    String text = String.format(java.util.Locale.ROOT,
        "%d tasks asked in %.1f s, done after %.1f s; %d answers to %d clients: median %.1f ms, p90 %.1f ms,"
            + " p99 %.1f ms, most %.1f ms%n",
        TASKS, asked, drained, millis.length, CLIENTS, millis[millis.length / 2],
        millis[(int) (0.9 * millis.length)], millis[(int) (0.99 * millis.length)], millis[millis.length - 1]);
    Files.writeString(Files.createDirectories(Path.of("target")).resolve("load.txt"), text);
  }

  /** Polls as a page does, about every 200 ms, and returns the milliseconds of all answers. */
  private static double[] poll(RunningService service, List<String> ids, int client, AtomicBoolean ended)
      throws Exception {
    double[] millis = new double[100_000];
    int count = 0;
    while (!ended.get() && count < millis.length) {
      String path = count % 2 == 0 ? "/tasks?limit=100" : "/tasks/" + ids.get((client * 31 + count) % ids.size());
      long start = System.nanoTime();
      assertThat(service.get(path).status()).isEqualTo(200);
      millis[count++] = (System.nanoTime() - start) / 1e6;
      Thread.sleep(200);
    }
    return Arrays.copyOf(millis, count);
  }
}
