package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The service as people start it: a process of the command {@code serve} with two workers, and a client of it. */
final class ServeProcess implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final int port;

  /**
   * Starts a service, and waits until it listens.
   *
   * @param data folder of its tasks
   * @param database of its tasks; empty for the embedded one
   */
  ServeProcess(Path data, Optional<String> database) throws IOException {
    // The options of the virtual machine are those of the launcher.
    List<String> line = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "dev.heddle.cli.Main", "serve",
        "--port=0", "--workers=2", "--task-memory=256", "--data=" + data));
    database.ifPresent(url -> line.add("--database=" + url));
    process = new ProcessBuilder(line).redirectError(new File("target/serve-process.txt")).start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String first = String.valueOf(out.readLine());
    Matcher address = ADDRESS.matcher(first);
    assertThat(address.find()).as(first).isTrue();
    port = Integer.parseInt(address.group(1));
  }

  int port() {
    return port;
  }

  private JsonNode send(HttpRequest.Builder request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
    return MAPPER.readTree(response.body());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + Api.BASE + path));
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    return send(request(path));
  }

  /** Asks a question, and returns the id of its task. */
  String ask(ObjectNode question) throws IOException, InterruptedException {
    return send(request("/tasks").header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(question.toString()))).path("id").asText();
  }

  /** Kills the service alone, as {@code kill -9} does, and waits for the end of the processes of its tasks. */
  void kill() throws Exception {
    List<ProcessHandle> children = process.descendants().toList();
    assertThat(children).isNotEmpty();
    process.destroyForcibly().waitFor();
    for (ProcessHandle child : children) {
      child.onExit().get(20, TimeUnit.SECONDS);
    }
  }

  /** Ends the service as Ctrl-C does. */
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }
}
