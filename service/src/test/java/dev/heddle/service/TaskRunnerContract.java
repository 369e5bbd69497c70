package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The rules of {@link TaskRunner}, by scripts in place of Heddle. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(120)
abstract class TaskRunnerContract {
  static final Duration LONG = Duration.ofSeconds(20);

  @TempDir
  private Path folder;

  private final Map<String, String> environment = Map.of("PATH", System.getenv("PATH"), "KEPT", "yes");

  abstract TaskRunner runner();

  /** The folder of the task. */
  Path folder() {
    return folder;
  }

  /** Starts a script in place of Heddle. */
  TaskRunner.Running run(String script) throws Exception {
    Path file = Files.writeString(folder.resolve("script.sh"), script);
    return runner().start(
        new TaskRunner.Command(Launches.shell(folder, file, environment), List.of("one", "two"), folder, false));
  }

  /** Waits for the process, whose id the script writes. */
  private ProcessHandle child() throws Exception {
    Path child = folder.resolve("child");
    while (!Files.exists(child) || Files.size(child) == 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return ProcessHandle.of(Long.parseLong(Files.readString(child).strip())).orElseThrow();
  }

  @Test
  void runner2ShouldKeepOutputAndExitCodeWhenProcessEnds() throws Exception {
    TaskRunner.Running running = run("echo \"$1 $2 $KEPT $HOME\"; echo wrong >&2; pwd; exit 7");
    assertThat(running.await(LONG)).isEqualTo(OptionalInt.of(7));
    assertThat(running.begun()).isTrue();
    assertThat(folder.resolve(TaskFolder.OUTPUT)).content().isEqualTo("one two yes \n" + folder.toRealPath() + "\n");
    assertThat(folder.resolve(TaskFolder.MESSAGES)).content().isEqualTo("wrong\n");
    running.kill();
  }

  @Test
  void runner3ShouldEndChildrenWhenProcessIsKilled() throws Exception {
    TaskRunner.Running running = run("trap '' TERM; sleep 100 & echo $! > child; wait; sleep 100");
    ProcessHandle process = child();
    assertThat(running.await(Duration.ofMillis(20))).isEmpty();
    running.kill();
    process.onExit().get(20, TimeUnit.SECONDS);
    assertThat(process.isAlive()).isFalse();
    assertThat(running.await(LONG)).isPresent();
  }

  @Test
  void runner4ShouldEndProcessOfEarlierServiceWhenItsMarkFits() throws Exception {
    TaskRunner.Running running = run("echo $$ > child; exec sleep 100");
    ProcessHandle process = child();
    TaskRunner.Mark mark = TaskRunner.Mark.parse(running.mark().orElseThrow().toString()).orElseThrow();
    runner().end(new TaskRunner.Mark("other", mark.text()));
    assertThat(process.isAlive()).isTrue();
    runner().end(mark);
    process.onExit().get(20, TimeUnit.SECONDS);
    assertThat(running.await(LONG)).isPresent();
  }
}
