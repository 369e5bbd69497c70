package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds iterations against published ones, and the suite's reader against malformed tables. */
class TrainingSuiteTest {
  /** Tables that miss their bound, and why; each is explained in the notes. */
  private static final Map<String, String> SHORTFALLS = Map.of(
      "DeepSpeed, ZeRO-3 on Azure", "ZeRO-3 on Azure",
      "BigScience, search for 176B", "BigScience",
      "MT-NLG 530B", "MT-NLG",
      "vTrain, one node", "vTrain");

  private static final String TABLE = """
      # name: mine
      # source: my cluster
      # cluster: {tiers: [{preset: dgx-a100-node}]}
      # training: {model: {preset: mpt-125m}, parallel: {sharding: ${shard}}, batch: {global: ${batch}}, execution: {}, kernels: {preset: kernels-ampere}}
      # collectives: {type: ring}
      # measured: seconds
      # label: batch ${batch}
      # ranks: 8
      # ranks-per-node: 8
      shard,batch,seconds
      none,64,0.1
      optimizer,128,0.2
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new TrainingSuite().run(Optional.empty());
  }

  @Test
  void shouldStayWithinTheBoundsOfEveryTableButTheKnown() {
    // A layer of experts has the bound of kernels.
    assertThat(report.tables()).hasSize(11).allSatisfy(table -> assertThat(table.boundPct())
        .isBetween(6.0, table.name().endsWith("layer of experts") ? 15.0 : 8.0));
    assertThat(report.tables().stream().filter(table -> !table.holds()).map(Table::name))
        .as("tables that miss their bound").containsExactlyInAnyOrderElementsOf(SHORTFALLS.keySet());
    SHORTFALLS.forEach((table, reason) -> assertThat(report.notes()).as("a note on %s", table)
        .anySatisfy(note -> assertThat(note).contains(reason)));
  }

  @Test
  void shouldBeWithinEightPercentOverAllAndWithinSixOverMegatronsTables() {
    assertThat(report.meanAbsErrorPct()).isLessThan(8);
    assertThat(TrainingSuite.meanErrorPct(report.tables())).isLessThan(8);
    assertThat(TrainingSuite.megatron(report.tables())).extracting(Table::name).containsExactlyInAnyOrder(
        "Korthikanti et al., Table 4", "Korthikanti et al., Table 5", "Megatron-LM SC'21, Table 1", "MT-NLG 530B");
    assertThat(TrainingSuite.meanErrorPct(TrainingSuite.megatron(report.tables()))).isLessThan(6);
    assertThat(report.notes().get(0)).contains("bound 8 %", "bound 6 %");
  }

  @Test
  void shouldBeNearerThanCalculonOnKorthikantisTable() {
    // Calculon's mean error there, as run by its own system file: 3.65 %.
    Table table = report.tables().stream().filter(each -> each.name().endsWith("Table 5")).findFirst().orElseThrow();
    assertThat(table.rows()).hasSize(9);
    assertThat(table.meanAbsErrorPct()).isLessThan(3.65);
  }

  @Test
  void shouldKnowALayerWithinTwoPercentInAllItsVariants() {
    Table table = report.tables().stream().filter(each -> each.name().endsWith("Table 4")).findFirst().orElseThrow();
    assertThat(table.rows()).hasSize(5).allSatisfy(row -> assertThat(row.errorPct()).isBetween(-2.0, 2.0));
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("training.md", ValidationPage.of(report));
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new TrainingSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).rows()).extracting(ValidationReport.Row::label)
        .isEqualTo(List.of("batch 64", "batch 128"));
    assertThat(mine.tables().get(0).rows()).allSatisfy(row -> assertThat(row.model()).isPositive());
  }

  @Test
  void shouldNameFileAndLineOfWhatIsMalformed(@TempDir Path folder) throws IOException {
    refused(folder, TABLE.replace("0.2", "slow"), "mine.csv:12", "'slow'");
    refused(folder, TABLE.replace("0.2", "-1"), "mine.csv:12", "positive");
    refused(folder, TABLE.replace("optimizer,128,0.2", "optimizer,128"), "mine.csv:12", "2 cells");
    refused(folder, TABLE.replace("# measured: seconds\n", ""), "mine.csv", "# measured");
    refused(folder, TABLE.replace("measured: seconds", "measured: hours"), "mine.csv", "'hours'");
    refused(folder, TABLE.replace("# ranks: 8", "# ranks: 8\n# activities: compute sleep"), "mine.csv", "'sleep'");
    refused(folder, TABLE.replace("${shard}", "${shards}"), "mine.csv:11", "${shards}");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new TrainingSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void refused(Path folder, String table, String... parts) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), table);
    assertThatThrownBy(() -> new TrainingSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(parts);
  }
}
