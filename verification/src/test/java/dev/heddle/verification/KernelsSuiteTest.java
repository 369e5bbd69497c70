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
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of modelled kernels against published ones, and of the suite's reader against malformed tables. */
class KernelsSuiteTest {
  private static final String TABLE = """
      # name: mine
      # source: my accelerator
      # accelerator: {preset: h100-sxm}
      # kernels: {preset: kernels-hopper}
      gpu,kernel,precision,shape,us
      H100 SXM,gemm,bf16,4096x4096x4096,190
      H100 SXM,memory,fp16,1000000000,400
      """;

  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new KernelsSuite().run(Optional.empty());
  }

  @Test
  void shouldStayWithinTheBoundsOfAllRowsThatWereHeldOut() {
    assertThat(report.tables()).filteredOn(table -> table.name().endsWith("held out")).hasSize(13)
        .allSatisfy(table -> {
          assertThat(table.boundPct()).isBetween(1.0, 20.0);
          assertThat(table.holds()).as(table.name()).isTrue();
        });
  }

  @Test
  void shouldKnowShapesThatWereHeldOutAboutAsWellAsTheOthers() {
    for (Table table : report.tables()) {
      if (table.name().startsWith("V100") && table.name().endsWith("calibration")) {
        Table held = report.tables().stream()
            .filter(other -> other.name().equals(table.name().replace("calibration", "held out"))).findFirst()
            .orElseThrow();
        assertThat(held.rows()).hasSizeGreaterThan(70);
        assertThat(held.meanAbsErrorPct()).as(table.name()).isLessThan(1.25 * table.meanAbsErrorPct());
      }
    }
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("kernels.md", ValidationPage.of(report));
  }

  @Test
  void shouldReadKernelsOfTheUsersOwn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new KernelsSuite().run(Optional.of(folder));
    assertThat(mine.tables()).singleElement().satisfies(table -> {
      assertThat(table.name()).isEqualTo("mine");
      assertThat(table.rows()).extracting(ValidationReport.Row::label)
          .containsExactly("gemm 4096x4096x4096", "memory 1000000000");
      assertThat(table.rows()).allSatisfy(row -> assertThat(row.errorPct()).isBetween(-30.0, 30.0));
    });
  }

  @Test
  void shouldCompareTablesWithoutFiguresWithTheLibraryLessTheirRows(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), """
        # source: me
        system,engine,dtype,m,n,k,ms
        h100_sxm,trtllm/1.3.0rc20,bfloat16,4096,4096,4096,0.2
        h200_sxm,trtllm/1.3.0rc20,fp8,4096,4096,4096,0.12
        """);
    ValidationReport mine = new KernelsSuite().run(Optional.of(folder));
    assertThat(mine.tables()).hasSize(2);
    assertThat(mine.tables().get(0).rows().get(0).label()).contains("interpolated").doesNotContain("measured");
    assertThat(mine.tables().get(1).rows().get(0).label()).contains("transferred");
    assertThat(mine.tables()).allSatisfy(table -> assertThat(table.meanAbsErrorPct()).isLessThan(30));
  }

  @Test
  void shouldNameTablesThatItCannotReadAndGoOn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("another.csv"), "system,nccl,ms\nh100_sxm,2.27,0.1\n");
    Files.writeString(folder.resolve("mine.csv"), TABLE);
    ValidationReport mine = new KernelsSuite().run(Optional.of(folder));
    assertThat(mine.tables()).singleElement().satisfies(table -> assertThat(table.name()).isEqualTo("mine"));
    assertThat(mine.notes()).singleElement()
        .satisfies(note -> assertThat(note).contains("Refused", "another.csv", "no column 'engine'"));
  }

  @Test
  void shouldLeaveOutRowsOfAcceleratorsAndFormatsThatAreNotKnown(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), """
        system,engine,dtype,m,n,k,ms
        h100_sxm,trtllm/1.3.0rc20,bfloat16,4096,4096,4096,0.2
        h900_sxm,trtllm/1.3.0rc20,bfloat16,4096,4096,4096,0.2
        h100_sxm,trtllm/1.3.0rc20,fp3,4096,4096,4096,0.1
        h100_sxm,trtllm/1.3.0rc20,fp3,4096,4096,8192,0.2
        """);
    ValidationReport mine = new KernelsSuite().run(Optional.of(folder));
    assertThat(mine.tables()).singleElement().satisfies(table -> assertThat(table.rows()).hasSize(1));
    assertThat(mine.notes()).hasSize(2)
        .anySatisfy(note -> assertThat(note).endsWith("mine.csv: 1 rows of the GPU 'h900_sxm', which is not known"))
        .anySatisfy(note -> assertThat(note).contains("2 rows of the number format 'fp3'"));
    Files.writeString(folder.resolve("mine.csv"), "system,engine,dtype,m,n,k,ms\nh900,x,fp8,1,1,1,1\n");
    assertThatThrownBy(() -> new KernelsSuite().run(Optional.of(folder)))
        .hasMessageContaining("holds no kernel, only rows of the GPU 'h900', which is not known");
  }

  @Test
  void shouldKeepTheLibraryWithinItsBoundsOnRowsThatWereHeldOut() {
    assertThat(report.tables())
        .filteredOn(table -> table.name().matches("rows held out: .*, GPUs with HBM") && table.claims())
        .hasSize(4).allSatisfy(table -> {
          assertThat(table.boundPct()).isLessThanOrEqualTo(8);
          assertThat(table.rows()).hasSizeGreaterThan(500);
          assertThat(table.holds()).as(table.name()).isTrue();
        });
  }

  @Test
  void shouldStateABoundOfEveryGpuLeftOutAndAReasonForEachMiss() {
    assertThat(report.tables()).filteredOn(table -> table.name().startsWith("GPU left out: ")).hasSize(42)
        .allSatisfy(table -> assertThat(table.boundPct()).isEqualTo(12));
    assertThat(report.tables()).filteredOn(table -> !table.holds()).extracting(Table::name)
        .containsExactlyInAnyOrderElementsOf(report.basis().orElseThrow().misses().keySet());
  }

  // Nine of ten, over all rows of each kind; single kinds of kernels are surer or less sure.
  @Test
  void shouldHoldNineOfTenTimesWithinTheirIntervals() {
    for (String kind : new String[] {"rows held out", "GPU left out: b200", "GPU left out: gb200", "GPU left out: a100",
        "GPU left out: h100", "GPU left out: l40s"}) {
      List<Table> tables =
          report.tables().stream().filter(table -> table.name().startsWith(kind) && table.name().contains(","))
              .toList();
      double rows = tables.stream().mapToInt(table -> table.rows().size()).sum();
      double within = tables.stream().mapToDouble(table -> table.rows().size() * within(table)).sum();
      assertThat(within / rows).as(kind).isBetween(0.86, 0.97);
    }
  }

  private static double within(Table table) {
    Matcher share = Pattern.compile("([0-9]+) % lie within").matcher(table.source());
    assertThat(share.find()).as(table.source()).isTrue();
    return Integer.parseInt(share.group(1)) / 100.0;
  }

  @Test
  void shouldNameFileAndLineOfWhatIsMalformed(@TempDir Path folder) throws IOException {
    refused(folder, TABLE.replace("190", "fast"), "mine.csv:6", "'fast'");
    refused(folder, TABLE.replace("{preset: h100-sxm}", "{preset: ${which}}"), "mine.csv:6", "${which}");
    refused(folder, TABLE.replace("H100 SXM,memory", "H10O SXM,memory").replace("# kernels", "# figures"), "H10O SXM",
        "did you mean");
    Files.delete(folder.resolve("mine.csv"));
    assertThatThrownBy(() -> new KernelsSuite().run(Optional.of(folder))).hasMessageContaining("holds no table");
  }

  private static void refused(Path folder, String table, String... parts) throws IOException {
    Files.writeString(folder.resolve("mine.csv"), table);
    assertThatThrownBy(() -> new KernelsSuite().run(Optional.of(folder)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(parts);
  }
}
