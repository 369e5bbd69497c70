package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenApiTest {
  @TempDir
  private Path data;

  @Test
  void shouldDescribeEveryRouteWhenServed() throws Exception {
    try (RunningService service = new RunningService(RunningService.settings(data), new ScriptedRunner())) {
      JsonNode served = service.get("/openapi.json").json();
      assertThat(served).isEqualTo(new ObjectMapper().readTree(Assets.bytes("openapi.json")));
      Set<String> described = new TreeSet<>();
      served.path("paths").properties().forEach(path -> path.getValue().properties()
          .forEach(method -> described.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey())));
      assertThat(described).isEqualTo(service.routes());
    }
  }

  @Test
  void shouldNameSchemasThatExistWhenTheyAreReferred() throws Exception {
    JsonNode document = new ObjectMapper().readTree(Assets.bytes("openapi.json"));
    document.findValuesAsText("$ref").forEach(reference -> assertThat(document.at(reference.substring(1)).isObject())
        .as(reference).isTrue());
    Set<String> kinds = new TreeSet<>();
    document.at("/components/schemas/Question/properties/kind/enum").forEach(kind -> kinds.add(kind.asText()));
    assertThat(kinds).containsExactlyInAnyOrder("scenario", "sweep", "train", "search", "nccl-tests", "hpl");
  }
}
