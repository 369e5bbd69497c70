package dev.heddle.cli;

import dev.heddle.report.CsvReport;
import dev.heddle.report.HtmlReport;
import dev.heddle.report.JsonReport;
import dev.heddle.report.TraceJson;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.ValidationReport;

/** The files that a folder of results holds. */
final class ResultFiles {
  private ResultFiles() {}

  /**
   * Writes a run: {@code results.json}, {@code results.csv}, {@code links.csv}, {@code report.html}; {@code trace.json}
   * where the run recorded timelines.
   */
  static void write(OutputFolder folder, Results results) {
    folder.write("results.json", JsonReport.write(results));
    folder.write("results.csv", CsvReport.write(results));
    folder.write("links.csv", CsvReport.writeLinks(results));
    folder.write("report.html", HtmlReport.write(results));
    if (!results.timeline().lanes().isEmpty()) {
      folder.write("trace.json", TraceJson.write(results.timeline()));
    }
  }

  /**
   * Writes a sweep, under the same names.
   *
   * @param results summaries of the points
   * @param whole the same points with their full results, read one at a time
   */
  static void write(OutputFolder folder, SweepResults results, Iterable<SweepResults.Point> whole) {
    folder.write("results.json", writer -> JsonReport.write(results, whole, writer));
    folder.write("results.csv", writer -> CsvReport.write(results, writer));
    folder.write("links.csv", writer -> CsvReport.writeLinks(results.axes(), whole, writer));
    folder.write("report.html", HtmlReport.write(results));
  }

  /** Writes a comparison: {@code SUITE.json} and {@code SUITE.html}. */
  static void write(OutputFolder folder, ValidationReport report) {
    folder.write(report.suite() + ".json", JsonReport.write(report));
    folder.write(report.suite() + ".html", HtmlReport.write(report));
  }
}
