package dev.heddle.cli;

import dev.heddle.report.CsvReport;
import dev.heddle.report.FailedPoint;
import dev.heddle.report.HtmlReport;
import dev.heddle.report.JsonReport;
import dev.heddle.report.TraceJson;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.ValidationReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files that a folder of results holds. */
final class ResultFiles {
  private ResultFiles() {}

  /**
   * Writes a run: {@code results.json}, {@code results.csv}, {@code links.csv}, {@code report.html}; {@code trace.json}
   * where the run recorded timelines.
   *
   * @param description of the scenario; may be empty
   * @throws OutputException when one cannot be written; then none is
   */
  static void write(OutputFolder folder, Results results, String description) {
    Map<String, OutputFolder.Content> files = new LinkedHashMap<>();
    files.put("results.json", writer -> writer.write(JsonReport.write(results)));
    files.put("results.csv", writer -> writer.write(CsvReport.write(results)));
    files.put("links.csv", writer -> writer.write(CsvReport.writeLinks(results)));
    files.put("report.html", writer -> writer.write(HtmlReport.write(results, description)));
    if (!results.timeline().lanes().isEmpty()) {
      files.put("trace.json", writer -> writer.write(TraceJson.write(results.timeline())));
    }
    folder.write(files);
  }

  /**
   * Writes a sweep, under the same names.
   *
   * @param results summaries of the points
   * @param whole the same points with their full results, read one at a time
   * @param failed points that could not be carried out
   * @throws OutputException when one cannot be written; then none is
   */
  static void write(OutputFolder folder, SweepResults results, Iterable<SweepResults.Point> whole,
      List<FailedPoint> failed) {
    Map<String, OutputFolder.Content> files = new LinkedHashMap<>();
    files.put("results.json", writer -> JsonReport.write(results, whole, failed, writer));
    files.put("results.csv", writer -> CsvReport.write(results, writer));
    files.put("links.csv", writer -> CsvReport.writeLinks(results.axes(), whole, writer));
    files.put("report.html", writer -> writer.write(HtmlReport.write(results, failed)));
    folder.write(files);
  }

  /**
   * Writes a comparison: {@code SUITE.json} and {@code SUITE.html}.
   *
   * @throws OutputException when one cannot be written; then none is
   */
  static void write(OutputFolder folder, ValidationReport report) {
    Map<String, OutputFolder.Content> files = new LinkedHashMap<>();
    files.put(report.suite() + ".json", writer -> writer.write(JsonReport.write(report)));
    files.put(report.suite() + ".html", writer -> writer.write(HtmlReport.write(report)));
    folder.write(files);
  }
}
