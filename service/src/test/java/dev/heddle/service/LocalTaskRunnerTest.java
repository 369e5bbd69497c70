package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class LocalTaskRunnerTest extends TaskRunnerContract {
  @Override
  TaskRunner runner() {
    return new LocalTaskRunnerProvider().create(new LocalTaskRunnerProvider.Settings());
  }

  @Test
  void shouldLeaveAProcessAloneWhenItsNumberWasUsedAgain() {
    ProcessHandle self = ProcessHandle.current();
    runner().end(new TaskRunner.Mark("local", self.pid() + "@1"));
    assertThat(ProcessHandle.of(self.pid()).filter(ProcessHandle::isAlive)).isEqualTo(Optional.of(self));
  }
}
