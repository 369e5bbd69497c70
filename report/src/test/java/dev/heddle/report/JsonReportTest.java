package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import dev.heddle.results.Results;
import dev.heddle.results.ValidationReport;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class JsonReportTest {
  @Test
  void shouldReadBackEveryFieldWhenRunWasWritten() {
    Results results = Samples.run("c5", 0.5, 0, 3);
    assertThat(JsonReport.read(JsonReport.write(results))).isEqualTo(results);
    assertThat(JsonReport.read(JsonReport.writeLine(results))).isEqualTo(results);
  }

  @Test
  void shouldStayOnOneLineWhenNamesHoldLineBreaks() {
    Results results = Samples.run("two\nlines", 0.5, 0.2, 1);
    assertThat(JsonReport.writeLine(results)).doesNotContain("\n");
    assertThat(JsonReport.read(JsonReport.writeLine(results))).isEqualTo(results);
  }

  @Test
  void shouldReadBackEveryPointWhenSweepWasWritten() {
    assertThat(JsonReport.readSweep(JsonReport.write(Samples.sweep()))).isEqualTo(Samples.sweep());
  }

  @Test
  void shouldReadBackThePointsWhenSomeFailed() throws Exception {
    StringWriter text = new StringWriter();
    JsonReport.write(Samples.sweep(), Samples.sweep().points(),
        List.of(new FailedPoint(Map.of("load", "5 %"), "deadlock")), text);
    assertThat(JsonReport.readSweep(text.toString())).isEqualTo(Samples.sweep());
    JsonNode failed = new ObjectMapper().readTree(text.toString()).path("failed");
    assertThat(failed.toString()).isEqualTo("[{\"parameters\":{\"load\":\"5 %\"},\"reason\":\"deadlock\"}]");
  }

  @Test
  void shouldWriteNullWhenFigureIsNotFinite() throws Exception {
    Results results = new Results(
        Samples.run().run(),
        List.of(new Results.Metric("a", "A", "1", Double.NaN),
            new Results.Metric("b", "B", "1", Double.POSITIVE_INFINITY)),
        List.of(), List.of(),
        List.of(new Results.Series("s", "S", "x", "y", List.of(1.0), List.of(Double.NaN))));
    JsonNode json = new ObjectMapper().readTree(JsonReport.write(results));
    assertThat(json.at("/metrics/0/value").isNull()).isTrue();
    assertThat(json.at("/metrics/1/value").isNull()).isTrue();
    assertThat(json.at("/series/0/y/0").isNull()).isTrue();
    assertThat(JsonReport.read(JsonReport.write(results)).series().get(0).y()).containsExactly(Double.NaN);
  }

  @Test
  void shouldWriteAllBitsWhenFingerprintIsNegative() throws Exception {
    JsonNode json = new ObjectMapper().readTree(JsonReport.write(Samples.run()));
    assertThat(json.at("/run/fingerprint").asText()).isEqualTo("9e3779b97f4a7c15");
  }

  @Test
  void shouldRefuseWithMessageWhenTextIsCutOff() {
    String line = JsonReport.writeLine(Samples.run());
    for (int length : new int[] {0, 1, 40, line.length() / 2, line.length() - 1}) {
      assertThatThrownBy(() -> JsonReport.read(line.substring(0, length)))
          .as("first %d characters", length)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not a result");
    }
  }

  @Test
  void shouldRefuseWithMessageWhenFieldIsMissing() {
    assertThatThrownBy(() -> JsonReport.read("{\"metrics\": []}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("run");
  }

  @Test
  void shouldKeepAgreedKeysFirstWhenValidationIsWritten() throws Exception {
    ValidationReport report = new ValidationReport(
        "s",
        List.of(new ValidationReport.Table(
            "t", "source", "us",
            List.of(new ValidationReport.Row("a", OptionalLong.of(128), 2, 2.1),
                new ValidationReport.Row("b", OptionalLong.empty(), 4, 3.8)),
            Double.NaN)),
        List.of("note"));
    JsonNode json = new ObjectMapper().readTree(JsonReport.write(report));
    assertThat(ImmutableList.copyOf(json.fieldNames()))
        .containsExactly("suite", "tables", "meanAbsErrorPct", "holds", "notes");
    JsonNode table = json.at("/tables/0");
    assertThat(ImmutableList.copyOf(table.fieldNames())).containsExactly(
        "name", "unit", "rows", "meanAbsErrorPct", "maxAbsErrorPct", "boundPct", "source", "holds");
    assertThat(ImmutableList.copyOf(table.at("/rows/0").fieldNames()))
        .containsExactly("label", "sizeBytes", "reference", "model", "errorPct");
    assertThat(ImmutableList.copyOf(table.at("/rows/1").fieldNames())).doesNotContain("sizeBytes");
    assertThat(table.get("boundPct").isNull()).isTrue();
    assertThat(table.get("meanAbsErrorPct").asDouble()).isCloseTo(5, org.assertj.core.api.Assertions.within(1e-9));
  }
}
