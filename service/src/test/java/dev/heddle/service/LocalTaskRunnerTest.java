package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class LocalTaskRunnerTest {
  @TempDir
  private Path folder;

  private final Map<String, String> environment = Map.of("PATH", System.getenv("PATH"), "KEPT", "yes");

  /** A runner of a script, which the shell reads in place of a class of Java. */
  private LocalTaskRunner.Running run(String script) throws Exception {
    Path file = Files.writeString(folder.resolve("script.sh"), script);
    return new LocalTaskRunner(List.of("/bin/sh", "-c", "shift; exec /bin/sh \"$@\"", "sh", file.toString()),
        environment).start(new TaskRunner.Command(List.of("one", "two"), folder, false));
  }

  @Test
  void shouldKeepOutputAndExitCodeWhenProcessEnds() throws Exception {
    TaskRunner.Running running = run("echo \"$1 $2 $KEPT $HOME\"; echo wrong >&2; pwd; exit 7");
    assertThat(running.await(Duration.ofSeconds(20))).isEqualTo(OptionalInt.of(7));
    assertThat(folder.resolve(TaskFolder.OUTPUT)).content().isEqualTo("one two yes \n" + folder.toRealPath() + "\n");
    assertThat(folder.resolve(TaskFolder.MESSAGES)).content().isEqualTo("wrong\n");
  }

  @Test
  void shouldEndChildrenWhenProcessIsKilled() throws Exception {
    TaskRunner.Running running = run("trap '' TERM; sleep 100 & echo $! > child; wait; sleep 100");
    Path child = folder.resolve("child");
    while (!Files.exists(child) || Files.size(child) == 0) {
      assertThat(running.await(Duration.ofMillis(20))).isEmpty();
    }
    ProcessHandle process = ProcessHandle.of(Long.parseLong(Files.readString(child).strip())).orElseThrow();
    running.kill();
    assertThat(running.await(Duration.ofSeconds(20))).isPresent();
    process.onExit().get(20, java.util.concurrent.TimeUnit.SECONDS);
    assertThat(process.isAlive()).isFalse();
  }

  @Test
  void shouldEndProcessOfEarlierServiceWhenItsMarkFits() throws Exception {
    TaskRunner.Running running = run("sleep 100");
    TaskRunner.Mark mark = running.mark().orElseThrow();
    LocalTaskRunner.end(new TaskRunner.Mark(mark.pid(), mark.startedMs() + 60_000));
    assertThat(running.await(Duration.ofMillis(200))).isEmpty();
    LocalTaskRunner.end(mark);
    assertThat(running.await(Duration.ofSeconds(20))).isPresent();
  }
}
