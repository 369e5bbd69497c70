package dev.heddle.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.heddle.results.Results;
import dev.heddle.results.SweepResults;
import dev.heddle.results.Timeline;
import java.io.IOException;
import java.util.List;

/** JSON form of the records of results. */
final class ResultsJson {
  private ResultsJson() {}

  static ObjectMapper mapper() {
    SimpleModule figures = new SimpleModule()
        .addSerializer(Double.class, new FigureWriter())
        .addSerializer(double.class, new FigureWriter())
        .addDeserializer(Double.class, new FigureReader())
        .addDeserializer(double.class, new FigureReader())
        .addSerializer(Timeline.class, new TimelineWriter());
    return JsonMapper.builder()
        .addModule(figures)
        .addMixIn(Results.RunInfo.class, RunInfoJson.class)
        .addMixIn(SweepResults.class, SweepJson.class)
        .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }

  @JsonIgnoreProperties("failed")
  private interface SweepJson {}

  private interface RunInfoJson {
    @SuppressWarnings("UnusedMethod")
    @JsonSerialize(using = FingerprintWriter.class)
    @JsonDeserialize(using = FingerprintReader.class)
    long fingerprint();
  }

  private static final class FigureWriter extends StdSerializer<Double> {
    private static final long serialVersionUID = 1L;

    FigureWriter() {
      super(Double.class);
    }

    @Override
    public void serialize(Double value, JsonGenerator generator, SerializerProvider provider) throws IOException {
      if (Double.isFinite(value)) {
        generator.writeNumber(value.doubleValue());
      } else {
        generator.writeNull();
      }
    }
  }

  private static final class FigureReader extends StdDeserializer<Double> {
    private static final long serialVersionUID = 1L;

    FigureReader() {
      super(Double.class);
    }

    @Override
    public Double deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      return _parseDoublePrimitive(parser, context);
    }

    @Override
    public Double getNullValue(DeserializationContext context) {
      return Double.NaN;
    }
  }

  /** Only the ranks whose time was kept: the spans are a trace, {@link TraceJson}, not results. */
  private static final class TimelineWriter extends StdSerializer<Timeline> {
    private static final long serialVersionUID = 1L;

    TimelineWriter() {
      super(Timeline.class);
    }

    @Override
    public void serialize(Timeline value, JsonGenerator generator, SerializerProvider provider) throws IOException {
      generator.writeStartObject();
      provider.defaultSerializeField("lanes", value.lanes(), generator);
      provider.defaultSerializeField("spans", List.of(), generator);
      generator.writeEndObject();
    }
  }

  private static final class FingerprintWriter extends StdSerializer<Long> {
    private static final long serialVersionUID = 1L;

    FingerprintWriter() {
      super(Long.class);
    }

    @Override
    public void serialize(Long value, JsonGenerator generator, SerializerProvider provider) throws IOException {
      generator.writeString(NumberText.fingerprint(value));
    }
  }

  private static final class FingerprintReader extends StdDeserializer<Long> {
    private static final long serialVersionUID = 1L;

    FingerprintReader() {
      super(Long.class);
    }

    @Override
    public Long deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      String text = parser.getText();
      try {
        return Long.parseUnsignedLong(text, 16);
      } catch (NumberFormatException e) {
        return (Long) context.handleWeirdStringValue(Long.class, text, "a fingerprint has 16 hexadecimal digits");
      }
    }
  }
}
