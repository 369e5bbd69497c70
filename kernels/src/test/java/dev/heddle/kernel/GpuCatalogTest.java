package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the columns of data sheets that may be left out. */
class GpuCatalogTest {
  private static GpuSpec sheet(String top, String exponentials) {
    return GpuCatalog.parse("mine.csv",
        "id,name,vendor,architecture,units,clock,top-clock,exponentials,bandwidth,cache,watts,bits16,share16\n"
            + "mine,MINE,acme,first,100,1500," + top + "," + exponentials + ",2000,40,500,500,0.8\n")
        .get("mine");
  }

  @Test
  void shouldTakeTheBoostClockAndSixteenExponentialsWhereNoneAreStated() {
    assertThat(sheet("", "").topClock()).isEqualTo(1500e6);
    assertThat(sheet("", "").exponentials()).isEqualTo(16);
    assertThat(sheet("1800", "32").topClock()).isEqualTo(1800e6);
    assertThat(sheet("1800", "32").exponentials()).isEqualTo(32);
  }

  @Test
  void shouldTakeCodesOfCorrectionOffTheRateOfCopies() {
    String row = "id,name,vendor,architecture,units,clock,bandwidth,ecc,cache,watts,bits16,share16\n"
        + "mine,MINE,acme,first,100,1500,2000,%s,40,500,500,0.8\n";
    assertThat(GpuCatalog.parse("mine.csv", row.formatted("")).get("mine").copyRate()).isEqualTo(0.86 * 2000e9);
    assertThat(GpuCatalog.parse("mine.csv", row.formatted("0.25")).get("mine").copyRate())
        .isEqualTo(0.86 * 0.75 * 2000e9);
    assertThatThrownBy(() -> GpuCatalog.parse("mine.csv", row.formatted("6.25")))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("mine.csv:2")
        .hasMessageContaining("ecc is '6.25'");
  }

  // Both are derived from a relative that was measured.
  @Test
  void shouldDeriveTheSharesOfBoardsThatNobodyMeasured() {
    GpuCatalog gpus = GpuCatalog.bundled();
    double clock = Math.cbrt((300 - 90.0) / (400 - 90));
    assertThat(gpus.get("A100 PCIe").share16()).isEqualTo(gpus.get("a100").share16() * clock, within(0.005));
    assertThat(gpus.get("A100 PCIe").share8()).isEqualTo(gpus.get("a100").share8() * clock, within(0.005));
    GpuSpec l40s = gpus.get("l40s");
    GpuSpec l40 = gpus.get("l40");
    assertThat(l40.bits16() / l40.units() / l40.clockMhz() / (l40s.bits16() / l40s.units() / l40s.clockMhz()))
        .isEqualTo(0.5, within(0.01));
    assertThat(l40.share16()).isEqualTo(1 / (1 + (1 / l40s.share16() - 1) / 2), within(0.005));
    assertThat(l40.share8()).isEqualTo(1 / (1 + (1 / l40s.share8() - 1) / 2), within(0.005));
  }

  // A clock in GHz would make light kernels a thousand times slower.
  @ParameterizedTest
  @CsvSource({"1.8, '', top-clock is '1.8'; it must be at least the clock", "'', 0.001, exponentials is '0.001'"})
  void shouldRefuseRatesThatCannotBe(String top, String exponentials, String message) {
    assertThatThrownBy(() -> sheet(top, exponentials)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mine.csv:2").hasMessageContaining(message);
  }
}
