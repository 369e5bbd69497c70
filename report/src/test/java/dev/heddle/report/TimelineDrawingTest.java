package dev.heddle.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.results.Timeline;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.results.Timeline.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TimelineDrawingTest {
  private static final Timeline TWO = new Timeline(
      List.of(new Lane(0, "node0.<a>", 0, "compute"), new Lane(0, "node0.<a>", 1, "gradients"),
          new Lane(4, "node1.a", 0, "compute")),
      List.of(
          new Span(0, "compute", "Compute", "Forward", "0", 0, 3_000_000),
          new Span(0, "all_gather of 1 KiB", "Exposed", "Forward", "0", 3_000_000, 4_000_000),
          new Span(0, "receive from rank 4", "Pipeline", "", "", 4_000_000, 6_000_000),
          new Span(0, "compute", "Compute", "Backward", "0", 6_000_000, 8_000_000),
          new Span(1, "all_reduce of 1 KiB", "", "", "", 6_000_000, 7_000_000),
          new Span(2, "compute", "Compute", "Forward", "0", 4_000_000, 6_000_000)));

  private static Timeline without(Timeline timeline) {
    List<Span> spans = new ArrayList<>();
    timeline.spans().forEach(
        span -> spans.add(new Span(span.lane(), span.what(), span.activity(), "", "", span.startPs(), span.endPs())));
    return new Timeline(timeline.lanes(), spans);
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @Test
  void shouldDrawABoxForEachPassOfAComputingStream() {
    String svg = TimelineDrawing.of(TWO);
    assertThat(count(svg, "<title>")).isEqualTo(3);
    // The first pass takes half of the 8 us: half of the rest of 1,160 beside the names of the ranks.
    assertThat(svg).contains("rank 0: Forward 0, 0 s to 4 us; Compute 3 us; Exposed 1 us")
        .containsPattern("fill-1\" x=\"58\\.0\" y=\"28\" width=\"550\\.2\"")
        .contains("rank 4: Forward 0, 4 us to 6 us").doesNotContain("receive").doesNotContain("all_reduce");
  }

  @Test
  void shouldDrawABoxForEachOperationWhenThereAreNoPasses() {
    String svg = TimelineDrawing.of(without(TWO));
    assertThat(count(svg, "<title>")).isEqualTo(5);
    assertThat(svg).contains("rank 0: Pipeline, 4 us to 6 us");
  }

  @Test
  void shouldDrawAWiderOneToScrollWhenPassesAreTooNarrowToRead() {
    List<Span> many = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      many.add(new Span(0, "compute", "Compute", "Forward", Integer.toString(i), i * 1000L, i * 1000L + 900));
    }
    String svg = TimelineDrawing.of(new Timeline(TWO.lanes(), many));
    assertThat(count(svg, "<svg")).isEqualTo(2);
    assertThat(svg).contains("style=\"width:24000px\"").doesNotContain("width=\"-");
  }

  @Test
  void shouldDrawNothingWhenNothingWasKept() {
    assertThat(TimelineDrawing.of(Timeline.NONE)).isEmpty();
  }

  @Test
  void shouldWriteATraceWhoseOperationsLieWithinTheirPasses() throws JsonProcessingException {
    JsonNode events = new ObjectMapper().readTree(TraceJson.write(TWO)).get("traceEvents");
    List<JsonNode> passes = new ArrayList<>();
    List<JsonNode> operations = new ArrayList<>();
    for (JsonNode event : events) {
      if (event.get("ph").asText().equals("X")) {
        (event.path("cat").asText().equals("pass") ? passes : operations).add(event);
      }
    }
    assertThat(passes).extracting(event -> event.get("name").asText())
        .containsExactly("Forward 0", "Backward 0", "Forward 0");
    assertThat(passes.get(0).get("dur").asDouble()).isEqualTo(4.0);
    assertThat(operations).hasSize(6);
    assertThat(operations.get(1).get("ts").asDouble()).isEqualTo(3.0);
    assertThat(operations.get(4).get("tid").asInt()).isEqualTo(1);
    assertThat(events.toString()).contains("rank 0 (node0.<a>)").contains("gradients");
  }
}
