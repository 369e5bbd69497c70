package dev.heddle.cli.hpl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.hpl.run.HplTerm;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The statements of a comparison of closed form and network. */
class ComparisonTest {
  private static final Map<HplTerm, Double> CLOSED =
      Map.of(HplTerm.CALCULATION, 50.0, HplTerm.PIVOT, 3.0, HplTerm.BROADCAST, 4.0, HplTerm.UPDATE, 5.0);

  @Test
  void shouldNameTheTermThatIsFurthestAway() {
    Comparison hidden = new Comparison(
        CLOSED, Map.of(HplTerm.CALCULATION, 51.0, HplTerm.PIVOT, 2.0, HplTerm.BROADCAST, 0.5, HplTerm.UPDATE, 6.0), 62,
        60);
    assertThat(hidden.furthest()).isEqualTo(HplTerm.BROADCAST);
    assertThat(hidden.text()).endsWith(String.format(
        "They part most in broadcast: the run on the network takes 3.50 s less.%n"));
    Comparison slow = new Comparison(
        CLOSED, Map.of(HplTerm.CALCULATION, 50.0, HplTerm.PIVOT, 3.0, HplTerm.BROADCAST, 4.0, HplTerm.UPDATE, 9.25), 62,
        67);
    assertThat(slow.text()).contains("They part most in update: the run on the network takes 4.25 s more.");
  }

  @Test
  void shouldCountWhatIsNoTermAsWaiting() {
    Comparison waits = new Comparison(
        CLOSED, Map.of(HplTerm.CALCULATION, 50.0, HplTerm.PIVOT, 1.0, HplTerm.BROADCAST, 1.0, HplTerm.UPDATE, 1.0), 62,
        55.5);
    assertThat(waits.text().lines()).anySatisfy(line -> assertThat(line).matches("waiting +0\\.00 +2\\.50 +\\+2\\.50"));
    assertThat(waits.text().lines()).anySatisfy(line -> assertThat(line).matches("all +62\\.00 +55\\.50 +-6\\.50"));
  }
}
