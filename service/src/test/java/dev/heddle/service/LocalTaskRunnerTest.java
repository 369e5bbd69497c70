package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LocalTaskRunnerTest extends TaskRunnerContract {
  private static final int NICENESS = 3;

  @Override
  TaskRunner runner() {
    return new LocalTaskRunnerProvider().create(new LocalTaskRunnerProvider.Settings(NICENESS));
  }

  @Test
  void shouldYieldToTheServiceWhenTaskRuns() throws Exception {
    run("nice").await(LONG);
    Process own = new ProcessBuilder("nice").start();
    int niceness = Integer.parseInt(new String(own.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    assertThat(folder().resolve(TaskFolder.OUTPUT)).content()
        .isEqualTo(Math.min(niceness + NICENESS, 19) + "\n");
  }

  @Test
  void shouldLeaveAProcessAloneWhenItsNumberWasUsedAgain() {
    ProcessHandle self = ProcessHandle.current();
    runner().end(new TaskRunner.Mark("local", self.pid() + "@1"));
    assertThat(ProcessHandle.of(self.pid()).filter(ProcessHandle::isAlive)).isEqualTo(Optional.of(self));
  }
}
