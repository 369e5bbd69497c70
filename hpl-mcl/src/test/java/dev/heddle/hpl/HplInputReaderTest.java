package dev.heddle.hpl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HplInputReaderTest {
  private static final List<String> LINES = List.of(
      "a title", "another", "HPL.out      output file", "6            device",
      "2            sizes", "1000 2000    Ns", "2            # of NBs", "64 128 256   NBs",
      "1            PMAP", "3            grids", "2 1 4        Ps", "2 4 1        Qs", "16.0         threshold",
      "2            # of panel fact", "0 2          PFACTs", "2            stopping", "2 4          NBMINs",
      "1            panels", "2            NDIVs", "1            rfact", "1            RFACTs",
      "2            bcast", "0 5          BCASTs", "1            depth", "1            DEPTHs",
      "2            SWAP", "64           threshold", "0            L1", "1            U", "1            equilibration",
      "8            alignment", "ignored by HPL");

  private static HplInput read(List<String> lines) {
    return HplInputReader.read("HPL.dat", String.join("\n", lines));
  }

  private static List<String> with(int line, String text) {
    List<String> lines = new ArrayList<>(LINES);
    lines.set(line - 1, text);
    return lines;
  }

  @Test
  void shouldReadEveryLineWhenFileIsWellFormed() {
    HplInput input = read(LINES);
    assertThat(input.orders()).containsExactly(1000L, 2000L);
    assertThat(input.blockSizes()).containsExactly(64, 128);
    assertThat(input.grids()).containsExactly(
        new ProcessGrid(2, 2), new ProcessGrid(1, 4), new ProcessGrid(4, 1));
    assertThat(input.options())
        .isEqualTo(new HplInput.Options(16, RowSwap.MIXED, 64, true, false, true, 8));
    assertThat(input.variants()).extracting(HplVariant::code).containsExactly(
        "WC10C2L2", "WC10C2L4", "WC10C2R2", "WC10C2R4", "WC15C2L2", "WC15C2L4", "WC15C2R2", "WC15C2R4");
  }

  @Test
  void shouldRunGridsThenOrdersThenBlockSizesWhenCasesAreCombined() {
    List<HplCase> cases = read(LINES).cases();
    assertThat(cases).hasSize(3 * 2 * 2 * 8);
    assertThat(cases.get(8).problem()).isEqualTo(new HplProblem(1000, 128, new ProcessGrid(2, 2)));
    assertThat(cases.get(16).problem()).isEqualTo(new HplProblem(2000, 64, new ProcessGrid(2, 2)));
    assertThat(cases.get(32).problem()).isEqualTo(new HplProblem(1000, 64, new ProcessGrid(1, 4)));
    assertThat(cases.get(1).variant().stop()).isEqualTo(4);
  }

  @Test
  void shouldQuoteBeginningAloneWhenTokenIsLong() {
    assertThatThrownBy(() -> read(List.of("a", "b", "c", "d", "9".repeat(70_000))))
        .hasMessage("HPL.dat:5: the number of problem sizes is '" + "9".repeat(60)
            + "...'; it must be a whole number from 1 to 20");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "5  | 0            | HPL.dat:5: the number of problem sizes is 0; it must be 1 to 20",
      "6  | 1000         | HPL.dat:6: N must have 2 values, but the line holds 1",
      "6  | 1000 two Ns  | HPL.dat:6: N is 'two'; it must be a whole number from 1 to 100000000",
      "8  | 0 64         | HPL.dat:8: NB is 0; it must be 1 to 1000",
      "8  | 64 1001      | HPL.dat:8: NB is 1001; it must be 1 to 1000",
      "9  | 2            | HPL.dat:9: PMAP is 2; it must be 0 to 1",
      "12 | 1 1 -1       | HPL.dat:12: Q is -1; it must be 1 to 100000000",
      "13 | high         | HPL.dat:13: threshold is 'high'; it must be a number, usually 16.0",
      "15 | 0 3          | HPL.dat:15: PFACT is 3; it must be 0 to 2",
      "19 | 1            | HPL.dat:19: NDIV is 1; it must be 2 to 100000000",
      "23 | 0 6          | HPL.dat:23: BCAST is 6; it must be 0 to 5",
      "31 | ''           | HPL.dat:31: alignment must have 1 value, but the line holds 0"})
  void shouldNameFileAndLineWhenValueIsBad(int line, String text, String message) {
    assertThatThrownBy(() -> read(with(line, text))).isInstanceOf(InvalidSettingException.class).hasMessage(message);
  }

  @Test
  void shouldSayWhatIsMissingWhenFileIsShort() {
    assertThatThrownBy(() -> read(LINES.subList(0, 11)))
        .hasMessage("HPL.dat: ends after line 11, before Q on line 12");
    assertThatThrownBy(() -> read(List.of())).hasMessageContaining("before the number of problem sizes on line 5");
  }

  @Test
  void shouldRefuseGridsWhenTheyAreTooLarge() {
    List<String> lines = with(11, "100000 1 4");
    lines.set(11, "100000 4 1");
    assertThatThrownBy(() -> read(lines)).hasMessageContaining("HPL.dat:12: a process grid of 100000 x 100000");
  }
}
