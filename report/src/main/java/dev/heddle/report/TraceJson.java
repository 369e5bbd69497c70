package dev.heddle.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.results.Timeline.Span;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Ranks' operations over time as a trace that Perfetto ({@code https://ui.perfetto.dev}) and Chrome open: a process for
 * each rank, a thread for each of its streams, passes with their operations within (Trace Event Format, complete
 * events).
 */
public final class TraceJson {
  private static final double PS_PER_US = 1e6;

  private TraceJson() {}

  /** The trace. */
  public static String write(Timeline timeline) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("displayTimeUnit", "ns");
      json.writeArrayFieldStart("traceEvents");
      for (Lane lane : timeline.lanes()) {
        name(json, "process_name", lane, "rank " + lane.rank() + " (" + lane.terminal() + ")");
        name(json, "thread_name", lane, lane.title());
      }
      spans(json, timeline);
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("a text that cannot be written to", e);
    }
    return text.append('\n').toString();
  }

  private static void spans(JsonGenerator json, Timeline timeline) throws IOException {
    List<Span> spans = timeline.spans();
    for (int i = 0; i < spans.size(); i++) {
      Span span = spans.get(i);
      Lane lane = timeline.lanes().get(span.lane());
      if (!span.pass().isEmpty() && (i == 0 || !spans.get(i - 1).samePass(span))) {
        int last = i;
        while (last + 1 < spans.size() && spans.get(last + 1).samePass(span)) {
          last++;
        }
        event(json, lane, (span.pass() + " " + span.label()).strip(), "pass", span.startPs(), spans.get(last).endPs());
      }
      event(json, lane, span.what(), span.activity(), span.startPs(), span.endPs());
    }
  }

  private static void name(JsonGenerator json, String what, Lane lane, String name) throws IOException {
    json.writeRaw('\n');
    json.writeStartObject();
    json.writeStringField("ph", "M");
    json.writeStringField("name", what);
    json.writeNumberField("pid", lane.rank());
    json.writeNumberField("tid", lane.stream());
    json.writeObjectFieldStart("args");
    json.writeStringField("name", name);
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void event(JsonGenerator json, Lane lane, String name, String category, long startPs, long endPs)
      throws IOException {
    json.writeRaw('\n');
    json.writeStartObject();
    json.writeStringField("ph", "X");
    json.writeStringField("name", name);
    if (!category.isEmpty()) {
      json.writeStringField("cat", category);
    }
    json.writeNumberField("pid", lane.rank());
    json.writeNumberField("tid", lane.stream());
    json.writeNumberField("ts", startPs / PS_PER_US);
    json.writeNumberField("dur", (endPs - startPs) / PS_PER_US);
    json.writeEndObject();
  }
}
