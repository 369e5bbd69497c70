package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

  // A clock in GHz would make light kernels a thousand times slower.
  @ParameterizedTest
  @CsvSource({"1.8, '', top-clock is '1.8'; it must be at least the clock", "'', 0.001, exponentials is '0.001'"})
  void shouldRefuseRatesThatCannotBe(String top, String exponentials, String message) {
    assertThatThrownBy(() -> sheet(top, exponentials)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mine.csv:2").hasMessageContaining(message);
  }
}
