package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import java.util.List;
import org.junit.jupiter.api.Test;

class CsvReportTest {
  @Test
  void shouldWriteRowPerPointWhenSweepIsWritten() throws Exception {
    List<List<String>> rows = parse(CsvReport.write(Samples.sweep()));
    assertThat(rows).hasSize(301);
    assertThat(rows.get(0)).startsWith(Samples.RATE, "workload.pattern", "workload.load", "intra.throughput [GB/s]")
        .contains("fct.inter.p999 [us]", "messages.refused").endsWith("seed", "events", "fingerprint");
    assertThat(rows).allSatisfy(row -> assertThat(row).hasSameSizeAs(rows.get(0)));
    assertThat(rows.get(300)).startsWith("512 Gb/s", "c5", "100 %").endsWith("1", "18423771", "9e3779b97f4a7c15");
  }

  @Test
  void shouldKeepFullPrecisionWhenFigureIsWritten() throws Exception {
    Results run = Samples.run();
    List<List<String>> rows = parse(CsvReport.write(run));
    assertThat(Double.parseDouble(rows.get(1).get(2))).isEqualTo(run.metrics().get(2).value());
  }

  @Test
  void shouldWriteColumnOnceWhenMetricHasNameOfPercentile() throws Exception {
    Results run = Samples.run();
    Results twice = new Results(
        run.run(), List.of(new Results.Metric("fct.intra.p99", "p99", "us", 7)), run.distributions(), List.of(),
        List.of());
    List<List<String>> rows = parse(CsvReport.write(twice));
    assertThat(rows.get(0)).doesNotHaveDuplicates().contains("fct.intra.p99 [us]", "fct.intra.p90 [us]");
    assertThat(rows.get(1).get(0)).isEqualTo("7.0");
  }

  @Test
  void shouldLeaveFieldEmptyWhenFigureIsNotFinite() throws Exception {
    List<List<String>> rows = parse(CsvReport.write(Samples.run("c5", 0.5, 0, 1)));
    assertThat(rows.get(1).get(rows.get(0).indexOf("inter.throughput [GB/s]"))).isEmpty();
  }

  @Test
  void shouldReadBackWhenNamesHoldCommasQuotesAndBreaks() throws Exception {
    String name = "a, \"b\"\r\nc";
    Results run = Samples.run();
    Results odd = new Results(
        run.run(), List.of(), List.of(), List.of(new Results.LinkUsage(name, "t", 1, 0.5, 0.5, 1, 0, 0)), List.of());
    String csv = CsvReport.writeLinks(odd);
    assertThat(csv).contains("\"a, \"\"b\"\"\r\nc\",t,");
    assertThat(parse(csv).get(1).get(0)).isEqualTo(name);
  }

  @Test
  void shouldWriteRowPerPointAndLinkWhenLinksAreWritten() throws Exception {
    SweepResults sweep = Samples.sweep();
    List<List<String>> rows = parse(CsvReport.writeLinks(sweep));
    assertThat(rows).hasSize(1 + 300 * 18);
    assertThat(rows.get(0)).contains("link", "credit-stall", "max-queue [B]");
  }

  private static List<List<String>> parse(String csv) throws Exception {
    try (MappingIterator<List<String>> rows = new CsvMapper()
        .readerForListOf(String.class).with(CsvParser.Feature.WRAP_AS_ARRAY).readValues(csv)) {
      return rows.readAll();
    }
  }
}
