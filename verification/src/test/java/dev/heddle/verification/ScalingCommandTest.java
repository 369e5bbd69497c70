package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.cli.train.TrainCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the comparison of clusters and numbers of nodes on the installed presets. */
class ScalingCommandTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new TrainCommands());

  private final StringBuilder out = COMMANDS.out();

  private static int run(String... args) {
    return COMMANDS.run(args);
  }

  @Test
  void shouldAgreeOnTimeEnergyAndCostWhenPointsAreCompared() throws JsonProcessingException {
    assertThat(run("scaling", "--model", "gpt3-6b7", "--cluster", "hgx-h100,dgx-a100", "--nodes", "1,2",
        "--global-batch", "16", "--tokens", "1B", "--price", "3,2", "--json")).as(COMMANDS.failure()).isZero();
    JsonNode points = new ObjectMapper().readTree(out.toString());
    assertThat(points).hasSize(4);
    double[] price = {3, 3, 2, 2};
    double[] limitWatts = {700, 700, 400, 400};
    for (int i = 0; i < points.size(); i++) {
      JsonNode point = points.get(i);
      double hours = 24 * point.get("days_to_train").asDouble();
      double ranks = point.get("ranks").asDouble();
      assertThat(point.get("days_to_train").asDouble() * 86_400 * point.get("tokens_per_second").asDouble())
          .isCloseTo(1e9, within(1.0));
      assertThat(point.get("cost").asDouble()).isCloseTo(price[i] * hours * ranks, within(1e-6));
      double watts = 1000 * point.get("kilowatt_hours").asDouble() / hours / ranks;
      assertThat(watts).isBetween(0.4 * limitWatts[i], limitWatts[i]);
      assertThat(point.get("efficiency").asDouble()).isLessThanOrEqualTo(1);
    }
    assertThat(points.get(0).get("efficiency").asDouble()).isEqualTo(1);
    assertThat(points.get(2).get("efficiency").asDouble()).isEqualTo(1);
    assertThat(points.get(0).get("tokens_per_second").asDouble())
        .isGreaterThan(points.get(2).get("tokens_per_second").asDouble());
  }

  @Test
  void shouldSayWhereNothingFitsWhenAPointIsTooSmall() {
    assertThat(run("scaling", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "1,2", "--global-batch", "16",
        "--memory-reserve", "85")).as(COMMANDS.failure()).isZero();
    assertThat(out.toString().lines().filter(line -> line.startsWith("hgx-h100 ")).toList())
        .satisfiesExactly(line -> assertThat(line).endsWith("nothing fits the memory"),
            line -> assertThat(line).contains("  100.0 "));
  }

  @Test
  void shouldRefuseWhenNoPointFits() {
    assertThat(run("scaling", "--model", "gpt-1t", "--cluster", "hgx-h100", "--nodes", "1", "--global-batch", "8"))
        .isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("nothing fits").contains("80 GiB");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "hgx-h100 | 1   | 1,2 | --price: there are 2 prices for 1 clusters; write one for each, or one for all",
      "hgx-h100 | 1   | -1  | --price -1.0: must be above 0 and below a million",
      "hgx-h10  | 1   | 1   | did you mean 'hgx-h100'?",
      "h200     | 1   | 1   | --cluster: the preset h200 is a part, not a cluster",
      "hgx-h100,hgx-h1000 | 1 | 1 | did you mean 'hgx-h100'?",
      "hgx-h100 | 1,0 | 1   | --nodes 0: must be 1 to 1000000",
      "hgx-h100 | 0,1 | 1   | --nodes 0: must be 1 to 1000000"})
  void shouldRefuseWithOneMessageWhenOptionsAreWrong(String cluster, String nodes, String price, String message) {
    assertThat(run("scaling", "--model", "gpt3-6b7", "--cluster", cluster, "--nodes", nodes, "--global-batch", "16",
        "--price", price)).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains(message);
    // Nothing is searched before all is checked.
    assertThat(out).isEmpty();
  }

  @Test
  void shouldComparePointsThatAreNamedTwiceOnce() {
    assertThat(run("scaling", "--model", "gpt3-6b7", "--cluster", "hgx-h100,hgx-h100", "--nodes", "1,1",
        "--global-batch", "8", "--price", "3,2")).as(COMMANDS.failure()).isZero();
    assertThat(out.toString().lines().filter(line -> line.equals("hgx-h100, nodes: 1"))).as("one at each price")
        .hasSize(2);
  }
}
