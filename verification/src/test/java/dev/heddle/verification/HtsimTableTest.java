package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A user's folder of htsim's results. */
class HtsimTableTest {
  private static final Path SAMPLES = Path.of("src/test/resources/own-tables/fuzzed").toAbsolutePath();

  @TempDir
  private Path folder;

  private void copy(String file, String old, String replacement) throws IOException {
    String text = Files.readString(SAMPLES.resolve(file));
    assertThat(text).contains(old);
    Files.writeString(folder.resolve(file), text.replace(old, replacement));
  }

  private void run() {
    new NetworksSuite().run(Optional.of(folder));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      177.4,180      | x,180           | htsim.csv:2: tail_fct_us is 'x'; it must be a positive number
      177.4,180      | NaN,180         | htsim.csv:2: tail_fct_us is 'NaN'
      -paths 16      | -paths many     | htsim.csv:2: -paths is 'many'; it must be a whole number of 0 to 999999999
      -ecn 20 80     | -ecn 20 -failed | htsim.csv:3: -ecn is '-failed'
      -cwnd 100      | -cwnd 99999999999999999999 | htsim.csv:2: -cwnd is '99999999999999999999'
      -linkspeed 100000 | -linkspeed -1 | htsim.csv:2: -linkspeed is '-1'
      """)
  void shouldRefuseNumberWithItsLineWhenItIsNone(String old, String replacement, String message) throws IOException {
    copy("htsim.csv", old, replacement);
    copy("one.cm", "16", "16");

    assertThatThrownBy(this::run).isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  @Test
  void shouldRefuseMatrixOfMoreNodesThanAnyNetworkHas() throws IOException {
    copy("htsim.csv", "file", "file");
    copy("one.cm", "16", "99999999999");

    assertThatThrownBy(this::run).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("one.cm:1: 99999999999 nodes; at most 262144 are read");
  }

  @Test
  void shouldLeaveOtherTablesOut() throws IOException {
    copy("htsim.csv", "tail_fct_us,target_us", "a,b");
    copy("one.cm", "16", "16");

    assertThatThrownBy(this::run).isInstanceOf(InvalidSettingException.class).hasMessageContaining("holds no results");
  }

  @Test
  void shouldRefuseFiguresOfPapersThatAreNoNumbers() throws IOException {
    Files.writeString(folder.resolve("roce-anchors.csv"),
        "paper,figure,setting,quantity,low,high,unit\n"
            + "UCCL,14,400G one QP CC off 16 in flight 32 KB,goodput,x,30,GB/s\n");
    assertThatThrownBy(this::run).hasMessageContaining("roce-anchors.csv:2: low is 'x'");

    Files.delete(folder.resolve("roce-anchors.csv"));
    Files.writeString(folder.resolve("slingshot-incast.csv"), "degree,aggregate_gbps\n-1,4.99\n");
    assertThatThrownBy(this::run).hasMessageContaining("slingshot-incast.csv:2: degree is '-1'");
  }

  @Test
  void shouldScaleMarksWhenResultsAreOfStateThatDid() throws IOException {
    Path spines = folder.resolve("leaf-spine.topo");
    Files.writeString(spines, """
        Nodes 16
        Tiers 2
        Podsize 16
        Tier 0
        Downlink_speed_Gbps 400
        Radix_Down 4
        Radix_Up 4
        Downlink_Latency_ns 1000
        Tier 1
        Downlink_speed_Gbps 400
        Radix_Down 4
        Downlink_Latency_ns 1000
        """);
    String command = "htsim_uec -tm one.cm -linkspeed 400000 -q 100 -ecn 25 75 -failed 1";

    assertThat(new HtsimCommand("row", "results/400g_nscc_fail1.txt", command).scenario(16, Optional.of(spines)))
        .contains("queue: 415000 B, stated-rate: 400 Gb/s", "ecn: {min: 25938 B, max: 77813 B");
    assertThat(new HtsimCommand("row", "own.txt", command).scenario(16, Optional.of(spines)))
        .contains("queue: 415000 B, stated-rate: 400 Gb/s", "ecn: {min: 103750 B, max: 311250 B");
  }
}
