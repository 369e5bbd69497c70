package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FaultTextTest {
  @Test
  void shouldReadPlaceWhenMessageNamesFileAndPath() {
    assertThat(FaultText.faults("scenario.yaml:20: workload.load: '300 %' is above the most allowed, 100 %\n"
        + "scenario.yaml:3: is no valid YAML\n--tp: does not divide\n--cluster x: no file\nelse"))
        .containsExactly(
            new Fault("workload.load", 20, "'300 %' is above the most allowed, 100 %"),
            new Fault("", 3, "is no valid YAML"), new Fault("--tp", 0, "--tp: does not divide"),
            new Fault("--cluster", 0, "--cluster x: no file"), new Fault("", 0, "else"));
  }

  @Test
  void shouldStateReasonWhenProcessEnds() {
    assertThat(FaultText.reason("heddle: warning: w\nheddle: bad\nresults are in x", 2)).isEqualTo("bad");
    assertThat(FaultText.reason("", 137)).isEqualTo("the process was ended by signal 9");
    assertThat(FaultText.reason("heddle: this is a bug\n  at X", 70)).contains("exit code 70").contains("at X");
  }
}
