package dev.heddle.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.google.common.base.Preconditions;
import com.google.common.html.HtmlEscapers;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One page that needs nothing but itself: style, script, chart library and data are within it.
 *
 * <p>Its content security policy forbids every request, and every script but the two that are named by their hash, so a
 * name in the data cannot run.
 */
final class HtmlPage {
  private static final String LIBRARY = "echarts/echarts.common.min.js";

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private final List<ChartSpec> charts = new ArrayList<>();

  HtmlPage(String title, String lead) {
    this.title = title;
    body.append("<header class=\"page\"><div><div class=\"brand\">Heddle</div><h1>").append(escape(title))
        .append("</h1><p class=\"lead\">").append(escape(lead))
        .append("</p></div><button class=\"theme\" type=\"button\">Dark theme</button></header>\n<main>\n");
  }

  static String escape(String text) {
    return HtmlEscapers.htmlEscaper().escape(text);
  }

  /** Adds a badge: whether a claim holds, in words and colour. */
  static String badge(String state, String text) {
    return "<span class=\"badge " + state + "\">" + escape(text) + "</span>";
  }

  void section(String heading, String trustedBadge) {
    body.append("<h2>").append(escape(heading)).append(' ').append(trustedBadge).append("</h2>\n");
  }

  /** Marks a place that links lead to. */
  void anchor(String id) {
    body.append("<a id=\"").append(escape(id)).append("\"></a>\n");
  }

  void section(String heading) {
    section(heading, "");
  }

  void paragraph(String text) {
    body.append("<p class=\"note\">").append(escape(text)).append("</p>\n");
  }

  void notes(List<String> notes) {
    body.append("<ul class=\"notes\">");
    notes.forEach(note -> body.append("<li>").append(escape(note)).append("</li>"));
    body.append("</ul>\n");
  }

  void beginCards() {
    body.append("<div class=\"cards\">\n");
  }

  void card(String label, String value, String unit) {
    card(label, value, unit, "");
  }

  /** Adds a card; {@code state} is {@code pass}, {@code fail} or empty. */
  void card(String label, String value, String unit, String state) {
    body.append("<div class=\"card ").append(value.length() > 11 ? "long " : "").append(state)
        .append("\"><div class=\"label\">")
        .append(escape(label)).append("</div><div class=\"value\">").append(escape(value));
    if (!unit.isEmpty() && !unit.equals("1")) {
      body.append("<span class=\"unit\">").append(escape(unit)).append("</span>");
    }
    body.append("</div></div>\n");
  }

  void beginPair() {
    body.append("<div class=\"pair\">\n");
  }

  /** Ends cards or a pair. */
  void end() {
    body.append("</div>\n");
  }

  /** Adds a plot with a heading; {@code trustedControls} is markup of our own. */
  void chart(String heading, ChartSpec spec, String trustedControls) {
    body.append("<figure class=\"panel\"><figcaption><h3>").append(escape(heading)).append("</h3>");
    if (!trustedControls.isEmpty()) {
      body.append("<div class=\"controls\">").append(trustedControls).append("</div>");
    }
    body.append("</figcaption><div class=\"plot\" data-chart=\"").append(charts.size()).append("\"></div></figure>\n");
    charts.add(spec);
  }

  /** Adds a drawing with a heading; {@code trustedSvg} is markup of our own. */
  void drawing(String heading, String trustedSvg) {
    body.append("<figure class=\"panel\"><figcaption><h3>").append(escape(heading)).append("</h3></figcaption>")
        .append(trustedSvg).append("</figure>\n");
  }

  void table(HtmlTable table) {
    body.append(table.html());
  }

  void facts(Map<String, String> facts) {
    body.append("<dl class=\"panel facts\">\n");
    new LinkedHashMap<>(facts).forEach((key, value) -> body.append("<dt>").append(escape(key)).append("</dt><dd>")
        .append(escape(value)).append("</dd>\n"));
    body.append("</dl>\n");
  }

  /** The whole page. */
  String render() {
    String library = resource(LIBRARY);
    String script = resource("report.js");
    Preconditions.checkState(!library.contains("</script") && !script.contains("</script"), "a script ends itself");
    String policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "script-src '" + hash(library) + "' '" + hash(script) + "'";
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<title>" + escape(title) + " - Heddle</title>\n<style>\n" + resource("report.css") + "</style>\n</head>\n"
        + "<body>\n<div class=\"wrap\">\n" + body
        + "</main>\n<div id=\"status\" role=\"alert\" data-errors=\"0\"></div>\n"
        + "<noscript><p class=\"note\">The plots need JavaScript; all tables are complete without it.</p></noscript>\n"
        + "<footer>Made by Heddle. Plots by Apache ECharts, copyright The Apache Software Foundation, "
        + "Apache License 2.0. This file makes no request.</footer>\n</div>\n"
        + "<script type=\"application/json\" id=\"data\">" + data() + "</script>\n"
        + "<script>" + library + "</script>\n<script>" + script + "</script>\n</body>\n</html>\n";
  }

  private String data() {
    try {
      return ResultsJson.mapper().writeValueAsString(charts)
          .replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
          .replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a chart that has no JSON", e);
    }
  }

  private static String resource(String name) {
    try {
      return Resources.toString(Resources.getResource(HtmlPage.class, name), StandardCharsets.UTF_8)
          .replace("\r\n", "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("resource " + name + " of the report", e);
    }
  }

  private static String hash(String script) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
