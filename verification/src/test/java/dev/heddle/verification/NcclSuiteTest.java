package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.Constant;
import dev.heddle.collectives.nccl.calibration.ConstantSet;
import dev.heddle.collectives.nccl.calibration.ConstantsText;
import dev.heddle.collectives.nccl.calibration.GpuConstants;
import dev.heddle.collectives.nccl.calibration.LeaveOneOut;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.calibration.NetworkConstants;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests of NCCL's times against measured tables, each machine with the constants of the others. */
class NcclSuiteTest {
  private static final Path OWN = Path.of("src/test/resources/own-tables");
  private static final String SYSTEMS = """
      systems:
        mine:
          cluster: hgx-h100
          nccl: 2.29.2
      tables:
        - {file: mine.csv, system: mine}
      """;
  private static final String TABLE = """
      # source: my cluster
      # gpus: 8
      # collective: all_reduce
      size_bytes,time_us
      1073741824,4000
      """;

  /** Constants at a bound, where the model is wrong, as the notes explain. None may be added without a reason. */
  private static final Map<String, String> AT_BOUND = ImmutableMap.of(
      "volta port", "two machines, one of them a hybrid cube mesh",
      "ampere port", "within 2 % of its bound, and the same with a bound of 0.95 of the links",
      "hopper port", "as Ampere's",
      "cdna port", "both machines are at their NICs' limit",
      "slingshot simple", "every message is a rendezvous, whose round trip the model has not");

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new NcclSuite().run(Optional.empty());
  }

  private static Table table(String name) {
    return report.tables().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldKeepItsBoundsForMachinesThatWereLeftOut() {
    assertThat(report.unknownMisses()).isEmpty();
    assertThat(table("left out, all operations, from 8 MiB").boundPct()).isEqualTo(8);
    assertThat(table("left out, all operations, 64 KiB to 8 MiB").boundPct()).isEqualTo(20);
    assertThat(table("left out, all operations, below 64 KiB").boundPct()).isEqualTo(20);
    for (int gpus : new int[] {2, 4}) {
      assertThat(table("left out, " + gpus + " GPUs of one node, from 8 MiB").meanAbsErrorPct()).isLessThan(8);
    }
  }

  @Test
  void shouldKeepHeldOutTablesApart() {
    List<Row> held = table("held out, all operations, from 8 MiB").rows();
    assertThat(held).hasSizeGreaterThan(200);
    List<String> labels = held.stream().map(Row::label).toList();
    for (Table each : report.tables()) {
      if (!each.name().startsWith("held out")) {
        assertThat(each.rows()).as(each.name()).noneMatch(row -> labels.contains(row.label()));
      }
    }
  }

  @Test
  void shouldCalibrateByRowsThatItDoesNotCompare() {
    Table before = table("the same without its rows");
    Table after = table("30 rows of its own, other tables, from 8 MiB");
    assertThat(after.rows()).hasSameSizeAs(before.rows()).hasSizeGreaterThan(1_000);
    assertThat(after.boundPct()).isEqualTo(5);
    // Machines whose NICs differ from their network's others are mended, as NDm v4; others change little, V100 for the
    // worse.
    assertThat(meanOf(after, "a100x16-2n-allreduce-")).isLessThan(meanOf(before, "a100x16-2n-allreduce-"));
    assertThat(after.meanAbsErrorPct()).isLessThan(before.meanAbsErrorPct() + 0.05);
    // The table between nodes with most ranks is the first by which ABCI's A100 are calibrated.
    assertThat(after.rows()).noneMatch(row -> row.label().startsWith("a100x128-16n-allreduce-abci"));
    assertThat(after.rows()).anyMatch(row -> row.label().startsWith("a100x16-2n-bcast-abci"));
  }

  private static double meanOf(Table table, String prefix) {
    return table.rows().stream().filter(row -> row.label().startsWith(prefix))
        .mapToDouble(row -> Math.abs(row.errorPct())).average().orElseThrow();
  }

  @Test
  void shouldShowEveryRowThatIsNotCompared() {
    List<Table> tables = report.tables();
    List<String> aside = tables.get(tables.size() - 1).rows().stream().map(Row::label).toList();
    assertThat(tables.get(tables.size() - 1).name()).startsWith("rows set aside");
    assertThat(aside).anyMatch(row -> row.startsWith("mi250x32-4n-allreduce-slingshot 2 MiB"))
        .anyMatch(row -> row.startsWith("v100x16-2n-allreduce-deepops-roce 8 B"));
    List<String> compared = tables.stream().filter(table -> table.name().startsWith("left out, all operations"))
        .flatMap(table -> table.rows().stream().map(Row::label)).toList();
    assertThat(compared).doesNotContainAnyElementsOf(aside);
  }

  @Test
  void shouldPrintMachinesLeftOutFirst() {
    assertThat(report.tables().get(0).name()).startsWith("left out, all operations");
    assertThat(report.tables().get(1).name()).startsWith("in sample, all operations");
    assertThat(report.tables().get(0).rows()).hasSizeGreaterThan(1_500);
  }

  @Test
  void shouldChooseAsLogsReport() {
    // From NVIDIA/nccl-tests issue 309 on the same hardware: LL rings up to 1 MiB, then NVLS.
    List<Row> rows = report.tables().stream().filter(each -> each.name().startsWith("left out, all_reduce"))
        .map(Table::rows).flatMap(List::stream)
        .filter(row -> row.label().startsWith("h100x8-1n-allreduce-dgxc")).toList();
    assertThat(rows).hasSizeGreaterThan(20).allSatisfy(row -> assertThat(row.label())
        .contains(row.sizeBytes().orElseThrow() <= 1 << 20 ? "Ring/LL on" : "NVLS/Simple on 16"));
  }

  @Test
  void shouldKeepConstantsWithinTheirBounds() {
    ConstantSet all = constants("constants.yaml").all().set();
    all.gpus().forEach((generation, timing) -> check(
        generation, GpuConstants.of(generation), GpuConstants.values(timing)));
    all.networks()
        .forEach((network, timing) -> check(network, NetworkConstants.of(timing), NetworkConstants.values(timing)));
  }

  private static void check(String owner, List<Constant> constants, double[] values) {
    // The launch is an additional constant.
    assertThat(constants.size() + 1).isLessThanOrEqualTo(12);
    for (int i = 0; i < values.length; i++) {
      Constant constant = constants.get(i);
      assertThat(values[i]).as(owner + " " + constant.name())
          .isBetween(constant.least() * 0.999, constant.most() * 1.001);
      if (constant.atBound(values[i]) && i == 0 && !owner.equals("infiniband")) {
        assertThat(AT_BOUND).as("constants at a bound").containsKey(owner + " " + constant.name());
      }
    }
  }

  private static NcclConstants constants(String file) {
    DataFolder folder = DataFolder.bundled("nccl");
    try (Registry registry = Registry.discover(NcclSuite.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(NcclConstants.class, file, folder.text(file));
    }
  }

  @Test
  void shouldHaveThePresetsThatTheFitFound() {
    ConstantSet all = constants("constants.yaml").all().set();
    try (Registry registry = Registry.discover(NcclSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      all.gpus().forEach((id, timing) -> assertThat(ConstantsText.gpu(reader.record(
          dev.heddle.collectives.nccl.timing.GpuTiming.class, id, "{preset: nccl-" + id + "}")))
          .isEqualTo(ConstantsText.gpu(timing)));
      all.networks().forEach((id, timing) -> assertThat(ConstantsText.network(reader.record(
          dev.heddle.collectives.nccl.timing.NetworkTiming.class, id, "{preset: nccl-" + id + "}")))
          .isEqualTo(ConstantsText.network(timing)));
    }
  }

  /** The fit itself, {@code -Dnccl.calibrate=FILE}, which takes minutes. FILE can replace {@code constants.yaml}. */
  @Test
  @EnabledIfSystemProperty(named = "nccl.calibrate", matches = ".+")
  void shouldFitTheConstantsAgain() throws IOException {
    try (Registry registry = Registry.discover(NcclSuite.class.getClassLoader(), List.of())) {
      List<MeasuredTable> tables = new NcclTables(new ScenarioReader(registry), DataFolder.bundled("nccl"))
          .read(new RefusedTables(Optional.empty()))
          .stream().filter(entry -> !entry.heldOut()).map(NcclTables.Entry::good).filter(each -> !each.rows().isEmpty())
          .toList();
      ConstantSet priors = constants("priors.yaml").all().set();
      ConstantSet all = new Calibration(tables).fit(priors, Calibration.ROUNDS);
      String text = ConstantsText.list(all, LeaveOneOut.of(tables, all, priors), tables);
      Files.writeString(Path.of(System.getProperty("nccl.calibrate")), text);
      assertThat(text).isEqualTo(DataFolder.bundled("nccl").text("constants.yaml"));
    }
  }

  @Test
  void shouldMatchTheSuiteWhenItsPagesAreRead() throws IOException {
    ValidationPage.shouldBe("nccl.md", ValidationPage.summary(report));
    ValidationPage.shouldBe("nccl-constants.md", ConstantsPage.of(constants("constants.yaml").all().set()));
  }

  @Test
  void shouldReadAFolderOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("systems.yaml"), SYSTEMS);
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new NcclSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(1);
    assertThat(mine.tables().get(0).source()).isEqualTo("my cluster");
    assertThat(mine.tables().get(0).rows().get(0).model()).isBetween(3_800.0, 4_200.0);
  }

  @Test
  void shouldTakeTheRateThatMessagesBetweenGpusReach(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("systems.yaml"), SYSTEMS.replace("hgx-h100", "h100-ndr")
        .replace("nccl: 2.29.2", "nccl: 2.29.2\n    network: infiniband\n    nics: 200 GB/s\n"
            + "    environment: {NCCL_ALGO: 'Ring'}")
        .replace("system: mine}", "system: mine, nodes: 2}"));
    Files.writeString(folder.resolve("mine.csv"), TABLE.replace("gpus: 8", "gpus: 16"));
    // 2 x 15/16 of 1 GiB take 10.07 ms at 200 GB/s, half of what the links carry.
    assertThat(new NcclSuite().run(Optional.of(folder)).tables().get(0).rows().get(0).model())
        .isBetween(10_066.0, 10_600.0);
  }

  @Test
  void shouldReadLogsWithoutAListOfMachines() {
    ValidationReport own = new NcclSuite().run(Optional.of(OWN));
    assertThat(own.tables()).extracting(Table::name).containsExactly(
        "alltoall all_to_all, 64 KiB to 8 MiB", "alltoall all_to_all, from 8 MiB", "rings all_reduce, from 8 MiB");
    assertThat(own.tables().get(0).source()).endsWith("on hgx-h100 as its GPUs are NVIDIA H100 80GB HBM3");
    assertThat(own.basis().orElseThrow().unfitted()).contains("from 8 MiB").contains("of 5 rows");
    // 16 ranks of 2 nodes by rings: 2 x 15/16 of 1 GiB over 8 NICs of 12.5 GB/s take 20.1 ms at least.
    Row rings = own.tables().get(2).rows().get(1);
    assertThat(rings.label()).contains("Ring");
    assertThat(rings.model()).isBetween(20_100.0, 21_500.0);
  }

  @Test
  void shouldRefuseLogsThatStateTooLittle(@TempDir Path folder) throws IOException {
    Path log = folder.resolve("mine.csv");
    String table = TABLE.replace("# source: my cluster\n", "");
    Files.writeString(log, table);
    refusedWithoutList(folder, "mine.csv", "names no GPUs", "# cluster: PRESET", "cluster.yaml");
    Files.writeString(log, "# gpu: Instinct MI100\n" + table);
    refusedWithoutList(folder, "'Instinct MI100' have no platform");
    Files.writeString(log, "# cluster: hgx-h10\n" + table);
    refusedWithoutList(folder, "mine.csv", "hgx-h100");
    Files.writeString(log, "# cluster: hgx-h100\n" + table.replace("# gpus: 8\n", ""));
    refusedWithoutList(folder, "states no ranks", "'# gpus: 16'");
    Files.writeString(log, "# gpu: A100-SXM4-40GB\n# nic: 4 x 200 Gb/s HDR InfiniBand\n# nodes: 2\n"
        + table.replace("# gpus: 8", "# gpus: 16"));
    refusedWithoutList(folder, "dgx-a100, the platform of its GPUs, has 8 x 200 Gb/s InfiniBand a node",
        "not '4 x 200 Gb/s HDR InfiniBand'");
    Files.writeString(log, "# gpu: Tesla V100-SXM2-16GB (4 per node, all-to-all NVLink2)\n" + table);
    refusedWithoutList(folder, "dgx-1v", "has 8 GPUs a node, not 4");
    Files.writeString(log, "# gpu: A100 80GB (p4de.24xlarge)\n# nic: 4 x 100 Gb/s EFA\n" + table);
    Files.writeString(folder.resolve("another.csv"), "# gpu: H100 PCIe\n" + table);
    ValidationReport both = new NcclSuite().run(Optional.of(folder));
    assertThat(both.tables()).singleElement()
        .satisfies(own -> assertThat(own.source()).contains("on a100-aws-p4de"));
    assertThat(both.notes()).singleElement()
        .satisfies(note -> assertThat(note).contains("Refused", "another.csv", "'H100 PCIe' have no platform"));
    Files.delete(folder.resolve("another.csv"));
    Files.writeString(log, "# gpu: GB200 NVL72\n# nodes: 18 trays\n# nccl_version: 2.26.2\n"
        + table.replace("# gpus: 8", "# gpus: 72"));
    assertThat(new NcclSuite().run(Optional.of(folder)).tables().get(0).rows().get(0).label()).contains("NVLS");
    Files.delete(log);
    refusedWithoutList(folder, "neither systems.yaml nor logs");
    Files.writeString(folder.resolve("cluster.yaml"), "preset: hgx-h100\n");
    Files.writeString(log, table);
    assertThat(new NcclSuite().run(Optional.of(folder)).tables()).hasSize(1);
  }

  @Test
  void shouldReadCallsOnSeveralMachinesOfOneFile(@TempDir Path folder) throws IOException {
    String rows = "h200_sxm,2.27.3,all_reduce,half,8,1073741824,4.0\nl40s,2.27.3,all_reduce,half,8,1073741824,40\n";
    Files.writeString(folder.resolve("nccl.csv"), "# a list\nsystem,nccl,op,dtype,gpus,bytes,ms\n" + rows);
    ValidationReport own = new NcclSuite().run(Optional.of(folder));
    assertThat(own.tables()).singleElement().satisfies(table -> {
      assertThat(table.name()).startsWith("h200_sxm-2.27.3-all_reduce-half-8");
      assertThat(table.rows()).singleElement().satisfies(row -> assertThat(row.reference()).isEqualTo(4000));
    });
    assertThat(own.notes()).singleElement()
        .satisfies(note -> assertThat(note).contains("1 rows of the GPU 'l40s'", "no platform"));
    Files.writeString(folder.resolve("nccl.csv"), "system,nccl,op,dtype,gpus,bytes,ms\n" + rows.replace(",8,", ",x,"));
    refusedWithoutList(folder, "nccl.csv:2", "'x'");
    Files.writeString(
        folder.resolve("nccl.csv"), "system,nccl,op,dtype,gpus,bytes,ms\n" + rows.replace("2.27.3", "new"));
    refusedWithoutList(folder, "nccl.csv", "new");
  }

  private static void refusedWithoutList(Path folder, String... parts) {
    assertThatThrownBy(() -> new NcclSuite().run(Optional.of(folder)))
        .isInstanceOfAny(InvalidSettingException.class, ScenarioException.class).hasMessageContainingAll(parts);
  }

  @Test
  void shouldTakeRawLogsAndClusterFilesInAListOfMachines(@TempDir Path folder) throws IOException {
    for (String file : List.of("alltoall.log", "edr-rails.yaml")) {
      Files.copy(OWN.resolve(file), folder.resolve(file));
    }
    Files.writeString(folder.resolve("systems.yaml"), SYSTEMS.replace("hgx-h100", "edr-rails.yaml")
        .replace("mine.csv", "alltoall.log"));
    assertThat(new NcclSuite().run(Optional.of(folder)).tables()).extracting(Table::name)
        .containsExactly("alltoall.log, 64 KiB to 8 MiB", "alltoall.log, from 8 MiB");
  }

  @Test
  void shouldNameFileAndLineOfWhatIsMalformed(@TempDir Path folder) throws IOException {
    refused(folder, SYSTEMS, TABLE.replace("4000", "fast"), "mine.csv:5", "'fast'");
    refused(folder, SYSTEMS, TABLE.replace("time_us", "time"), "mine.csv:4", "'time_us'");
    refused(folder, SYSTEMS, TABLE.replace("# gpus: 8\n", ""), "mine.csv", "gpus");
    refused(folder, SYSTEMS, TABLE.replace("all_reduce", "all_reduces"), "mine.csv", "'all_reduces'");
    refused(folder, SYSTEMS, TABLE.replace("1073741824,4000\n", ""), "mine.csv", "no rows");
    refused(folder, SYSTEMS.replace("system: mine}", "system: yours}"), TABLE, "systems.yaml", "'yours'");
    refused(folder, SYSTEMS.replace("system: mine}", "system: mine, nodes: 3}"), TABLE, "mine.csv", "3 nodes");
    refused(folder, SYSTEMS, TABLE.replace("gpus: 8", "gpus: 9"), "mine.csv", "9 ranks");
    refused(folder, SYSTEMS.replace("nccl: 2.29.2", "nccl: 3.0"), TABLE, "mine.csv", "'3.0'");
  }

  private static void refused(Path folder, String systems, String table, String... parts) throws IOException {
    Files.writeString(folder.resolve("systems.yaml"), systems);
    Files.writeString(folder.resolve("mine.csv"), table);
    assertThatThrownBy(() -> new NcclSuite().run(Optional.of(folder)))
        .isInstanceOfAny(InvalidSettingException.class, ScenarioException.class)
        .hasMessageContainingAll(parts);
  }
}
