package dev.heddle.hpl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HplReportTest {
  private static final HplVariant VARIANT = new HplVariant(
      false, 1, PanelBroadcast.RING_MODIFIED, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 4);

  @Test
  void shouldPrintWhatHplPrintedWhenRunIsTheSame() {
    // A line of HPL 2.3 as a user published it: 20 processes in one row, 129 Gflop/s.
    HplCase run = new HplCase(new HplProblem(98_365, 256, new ProcessGrid(1, 20)), VARIANT);
    assertThat(HplReport.line(run, 4913.35)).isEqualTo(
        "WR11C2R4       98365   256     1    20            4913.35             1.2914e+02\n");
    // An A100 solves N of 92,160 in 30.73 s, 1.698e+04 in its log.
    HplCase single = new HplCase(new HplProblem(92_160, 1024, ProcessGrid.SINGLE), VARIANT);
    assertThat(HplReport.line(single, 30.73)).endsWith("30.73             1.6982e+04\n");
  }

  @Test
  void shouldLineUpWhenHeaderIsAboveResult() {
    assertThat(HplReport.header().lines()).hasSize(3).allSatisfy(line -> assertThat(line).hasSize(80));
    HplCase run = new HplCase(new HplProblem(20_486_016, 384, new ProcessGrid(396, 384)), VARIANT);
    assertThat(HplReport.line(run, 11_487.5).stripTrailing()).hasSize(80)
        .startsWith("WR11C2R4    20486016   384   396   384           11487.50");
  }

  @Test
  void shouldRefuseTimesThatAreNone() {
    HplCase run = new HplCase(new HplProblem(1000, 100, ProcessGrid.SINGLE), VARIANT);
    assertThatThrownBy(() -> HplReport.line(run, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HplReport.line(run, Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }
}
