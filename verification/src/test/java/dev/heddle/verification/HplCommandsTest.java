package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.cli.hpl.HplCommands;
import dev.heddle.hpl.HplSystem;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the commands for HPL on the installed presets. */
class HplCommandsTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new HplCommands());
  // The fields of HPL's output that users' scripts search for: T/V, N, NB, P, Q, Time, Gflops.
  private static final Pattern LINE = Pattern.compile(
      "^(W[RC]\\S+) +(\\d+) +(\\d+) +(\\d+) +(\\d+) +(\\d+\\.\\d\\d) +(\\d\\.\\d{4}e[+-]\\d\\d)$");

  private final StringBuilder out = COMMANDS.out();

  @TempDir
  private Path folder;

  private static int run(String... args) {
    return COMMANDS.run(args);
  }

  private String input(String orders, String grids, String depths) throws IOException {
    String[] sides = grids.split("x");
    int count = sides[0].split(" ").length;
    Path file = folder.resolve("HPL.dat");
    Files.writeString(file, String.join("\n",
        "title", "title", "HPL.out", "6", orders.split(" ").length + " sizes", orders + " Ns", "1 NBs", "512 NB",
        "0 PMAP", count + " grids", sides[0] + " Ps", sides[1] + " Qs", "-1.0 threshold", "1", "2 PFACT", "1",
        "32 NBMIN", "1", "2 NDIV", "1", "1 RFACT", "1", "1 BCAST", depths.split(" ").length + " depths",
        depths + " DEPTH", "1 SWAP", "64", "0 L1", "0 U", "1", "8"));
    return file.toString();
  }

  private List<Matcher> lines() {
    return out.toString().lines().map(LINE::matcher).filter(Matcher::matches).toList();
  }

  @Test
  void shouldPrintAResultForEachCaseAsHplDoes() throws IOException {
    assertThat(run("hpl", input("100000 200000", "2 4x4 2", "1"), "--cluster", "hgx-h100", "--nodes", "1"))
        .as(COMMANDS.failure()).isZero();
    assertThat(lines()).extracting(line -> line.group(1) + " " + line.group(2) + " " + line.group(4)).containsExactly(
        "WR11C2R32 100000 2", "WR11C2R32 200000 2", "WR11C2R32 100000 4", "WR11C2R32 200000 4");
    for (Matcher line : lines()) {
      double n = Double.parseDouble(line.group(2));
      double seconds = Double.parseDouble(line.group(6));
      assertThat(Double.parseDouble(line.group(7)))
          .isCloseTo((2 * n * n * n / 3 + 1.5 * n * n) / seconds / 1e9, withinPercentage(1));
    }
    assertThat(out.toString()).contains("Finished      4 tests").contains("4 tests completed without checking,")
        .endsWith("End of Tests.\n" + "=".repeat(80) + "\n");
  }

  @Test
  void shouldRunTheInputThatComesWithTheScenarios() {
    assertThat(run("hpl", Path.of("..", "scenarios", "HPL.dat").toString(), "--cluster", "hgx-h100", "--nodes", "4",
        "--kernels", "{sustained: 79.6 %}")).as(COMMANDS.failure()).isZero();
    // On 32 H100 of p5 nodes the first of them took 73.32 s.
    assertThat(lines()).hasSize(4).allSatisfy(
        line -> assertThat(Double.parseDouble(line.group(6))).isBetween(60.0, 75.0));
  }

  @Test
  void shouldRunOnTheNetworkAndSayWhereTheClosedFormParts() throws IOException {
    assertThat(run(
        "hpl", input("98304", "4x4", "0 1"), "--cluster", "hgx-h100", "--nodes", "2", "--model", "flow", "--compare",
        "--node-grid", "2x4")).as(COMMANDS.failure()).isZero();
    assertThat(lines()).hasSize(2);
    assertThat(Double.parseDouble(lines().get(1).group(6))).isLessThan(Double.parseDouble(lines().get(0).group(6)));
    assertThat(out.toString()).contains("They part most in");
    List<String[]> rows = out.toString().lines().filter(line -> line.matches("(?:[a-z]+ +-?[\\d.]+ .*)"))
        .map(line -> line.trim().split(" +")).toList();
    assertThat(rows).hasSize(12);
    for (int table = 0; table < 2; table++) {
      for (int column = 1; column <= 2; column++) {
        double sum = 0;
        for (int row = 0; row < 5; row++) {
          sum += Double.parseDouble(rows.get(6 * table + row)[column]);
        }
        assertThat(sum).isCloseTo(Double.parseDouble(rows.get(6 * table + 5)[column]), within(0.03));
      }
    }
  }

  @Test
  void shouldTakeAFidelityOfAThirdParty() throws IOException {
    String input = input("32768", "2x4", "0");
    assertThat(run("hpl", input, "--cluster", "hgx-h100", "--nodes", "1", "--model", "flow")).as(COMMANDS.failure())
        .isZero();
    assertThat(run("hpl", input, "--cluster", "hgx-h100", "--nodes", "1", "--model", "{type: hockney, startup: 1 ms}"))
        .as(COMMANDS.failure()).isZero();
    assertThat(Double.parseDouble(lines().get(1).group(6))).isGreaterThan(Double.parseDouble(lines().get(0).group(6)));
  }

  // The layered closed form, and a run on the network from which it was derived, on a machine where HPL overlaps
  // little.
  @ParameterizedTest
  @CsvSource({"hgx-h100, 1, 2x4", "dgx-a100, 2, 4x4", "gh200-alps, 4, 4x4"})
  void shouldBeNearTheClosedFormWhenRunOnTheNetwork(String cluster, String nodes, String grid) throws IOException {
    assertThat(run("hpl", input("131072", grid, "0"), "--cluster", cluster, "--nodes", nodes)).as(COMMANDS.failure())
        .isZero();
    assertThat(run("hpl", input("131072", grid, "0"), "--cluster", cluster, "--nodes", nodes, "--model", "flow"))
        .as(COMMANDS.failure()).isZero();
    double closed = Double.parseDouble(lines().get(0).group(6));
    double network = Double.parseDouble(lines().get(1).group(6));
    assertThat(network / closed).as("%s s on the network, %s s in closed form", network, closed).isBetween(0.8, 1.6);
  }

  @Test
  void shouldReadBackWhatItPrintsWhenLayersAreDerived() throws IOException {
    assertThat(run("hpl", "layers", "--cluster", "dgx-a100", "--nodes", "4", "--nb", "288")).as(COMMANDS.failure())
        .isZero();
    String yaml = out.toString();
    HplSystem system = new ScenarioReader(COMMANDS.registry()).record(HplSystem.class, "printed", yaml);
    assertThat(system.nodes()).isEqualTo(4);
    assertThat(system.devicesPerNode()).isEqualTo(8);
    // Eight HDR adapters of 25 GB/s for eight GPUs, 12 NVLinks of 25 GB/s each, less packet overheads.
    assertThat(system.layers().get(2).rate().bytesPerSecond()).isBetween(24e9, 25e9);
    assertThat(system.layers().get(1).rate().bytesPerSecond()).isBetween(270e9, 300e9);
    assertThat(run("hpl", input("400000", "4x8", "1"), "--system", yaml)).as(COMMANDS.failure()).isZero();
    assertThat(run("hpl", input("400000", "4x8", "1"), "--cluster", "dgx-a100", "--nodes", "4")).isZero();
    assertThat(lines().get(0).group(6)).isEqualTo(lines().get(1).group(6));
  }

  @Test
  void shouldFindTheBlockingOfATaperedTree() throws IOException {
    Path file = folder.resolve("tapered.yaml");
    Files.writeString(file, """
        name: tapered
        cluster:
          tiers:
            - {preset: hgx-h100-node}
            - name: cluster
              size: 8
              topology: {type: fat-tree, link: {preset: infiniband-ndr}, down: [16, 4], up: [1, 8]}
        workload: {type: collective, size: 1 B}
        """);
    assertThat(run("hpl", "layers", "--cluster", file.toString())).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains("blocking: 2.0");
  }

  @Test
  void shouldFindTheBestChoiceInSeconds() {
    assertThat(run("hpl", "tune", "--cluster", "hgx-h100", "--nodes", "1", "--simulate", "3", "--memory-share", "30 %"))
        .as(COMMANDS.failure()).isZero();
    assertThat(lines()).hasSize(3);
    double before = Double.POSITIVE_INFINITY;
    for (Matcher line : lines()) {
      assertThat(Integer.parseInt(line.group(4)) * Integer.parseInt(line.group(5))).isEqualTo(8);
      assertThat(Double.parseDouble(line.group(7))).isLessThanOrEqualTo(before);
      before = Double.parseDouble(line.group(7));
    }
  }

  // Inputs that NVIDIA tuned for DGX A100 of 40 GB (deepops): no better than the tuner's, and only slightly worse.
  @ParameterizedTest
  @CsvSource({"1, 200448, 4x2", "4, 400896, 8x4", "8, 571392, 8x8", "64, 1622016, 32x16"})
  void shouldFindWhatIsAsGoodAsTunedInputs(String nodes, String order, String grid) throws IOException {
    String tuned = input(order, grid, "1");
    Files.writeString(Path.of(tuned), Files.readString(Path.of(tuned)).replace("512 NB", "288 NB"));
    assertThat(run("hpl", tuned, "--cluster", "dgx-a100", "--nodes", nodes)).as(COMMANDS.failure()).isZero();
    double theirs = Double.parseDouble(lines().get(0).group(7));
    assertThat(run("hpl", "tune", "--cluster", "dgx-a100", "--nodes", nodes, "--top", "1", "--memory", "38.5 GiB",
        "--memory-share", "100 %")).as(COMMANDS.failure()).isZero();
    assertThat(Double.parseDouble(lines().get(1).group(7))).isBetween(theirs, 1.08 * theirs);
  }

  // On every machine: most of its sustained rate at the N that fills its memory, and never more.
  @Test
  void shouldGiveEveryPresetOfAClusterAnRmax() {
    List<String> clusters = List.of(
        "dgx-a100", "hgx-h100", "hgx-h200", "gb200-nvl72", "a100-abci", "a100-oci", "a100-aws-p4de", "h100-ndr",
        "h100-oci",
        "h100-aws-p5", "h100-gcp-a3high", "h100-gcp-a3mega", "gh200-alps", "mi250x-slingshot", "mi300x-oci", "aurora");
    for (String cluster : clusters) {
      assertThat(run("hpl", "tune", "--cluster", cluster, "--top", "1")).as("%s: %s", cluster, COMMANDS.failure())
          .isZero();
      assertThat(run("hpl", "layers", "--cluster", cluster)).as("%s: %s", cluster, COMMANDS.failure()).isZero();
      String yaml = out.substring(out.lastIndexOf("nodes: "));
      HplSystem system = new ScenarioReader(COMMANDS.registry()).record(HplSystem.class, cluster, yaml);
      double sustained = 1e-9 * system.devicePeak().flopPerSecond() * system.nodes() * system.devicesPerNode();
      Matcher last = lines().get(lines().size() - 1);
      assertThat(Double.parseDouble(last.group(7)) / sustained).as(cluster).isBetween(0.4, 1.0);
    }
  }

  @Test
  void shouldRunOn512AcceleratorsInSeconds() throws IOException {
    assertThat(run("hpl", input("262144", "16x32", "1"), "--cluster", "hgx-h100", "--nodes", "64", "--model", "flow"))
        .as(COMMANDS.failure()).isZero();
    assertThat(lines()).hasSize(1);
  }

  @Test
  void shouldTuneASystemThatHasNoLinks() {
    assertThat(run("hpl", "tune", "--system", "hpl-eos", "--memory", "80 GiB", "--top", "3")).as(COMMANDS.failure())
        .isZero();
    assertThat(lines()).hasSize(3).allSatisfy(line -> {
      double n = Double.parseDouble(line.group(2));
      assertThat(8 * n * n / 3328).isBetween(0.85 * 80 * (1L << 30), 0.9 * 80 * (1L << 30));
    });
  }

  @Test
  void shouldSayWhatIsWrongWhenInputIsBad() throws IOException {
    String good = input("100000", "4x4", "1");
    assertFails("P x Q is 4 x 4 = 16, but there are 8 ranks", "hpl", good, "--cluster", "hgx-h100", "--nodes", "1");
    assertFails("an N that fits is", "hpl", input("9000000", "4x4", "1"), "--cluster", "hgx-h100", "--nodes", "2");
    assertFails("--model flows: there is no such model", "hpl", good, "--system", "hpl-eos", "--model", "flows");
    assertFails("write one of original, single, layered, analytic, flow, hockney, hybrid, packet", "hpl", good,
        "--system",
        "hpl-eos", "--model", "flows");
    assertFails("needs its links: write --cluster", "hpl", input("100000", "64x52", "1"), "--system", "hpl-eos",
        "--model", "flow");
    assertFails("--cluster or --system is needed", "hpl", good);
    assertFails("write one of them", "hpl", good, "--system", "hpl-eos", "--cluster", "hgx-h100");
    assertFails("--node-grid 2: is no grid such as 2x4", "hpl", good, "--cluster", "hgx-h100", "--node-grid", "2");
    assertFails("cannot be read: there is no such file; write the path of an HPL.dat", "hpl", "no/HPL.dat", "--system",
        "hpl-eos");
    assertFails("--nodes 0: must be 1 to", "hpl", good, "--cluster", "hgx-h100", "--nodes", "0");
    assertFails("--memory-share 120 %: must be at most", "hpl", "tune", "--cluster", "hgx-h100", "--memory-share",
        "120 %");
    assertFails("--memory-share much", "hpl", "tune", "--cluster", "hgx-h100", "--memory-share", "much");
    assertFails("--memory much", "hpl", good, "--system", "hpl-eos", "--memory", "much");
    assertFails("write --memory, such as '80 GiB'", "hpl", "tune", "--system", "hpl-eos");
    assertFails("--simulate needs the links", "hpl", "tune", "--system", "hpl-eos", "--simulate", "2");
    assertFails("an N that fits is", "hpl", input("1000000", "64x52", "1"), "--system", "hpl-eos", "--memory", "1 GiB");
    assertFails("--top 0", "hpl", "tune", "--cluster", "hgx-h100", "--top", "0");
    Files.writeString(folder.resolve("HPL.dat"), Files.readString(folder.resolve("HPL.dat")).replace("512 NB", "0 NB"));
    assertFails("HPL.dat:8: NB is 0; it must be 1 to", "hpl", good, "--system", "hpl-eos");
  }

  private void assertFails(String message, String... args) {
    COMMANDS.forget();
    assertThat(run(args)).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains(message);
  }
}
