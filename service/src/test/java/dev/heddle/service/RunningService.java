package dev.heddle.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.cli.Program;
import dev.heddle.registry.Registry;
import dev.heddle.service.ServiceSettings.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A service on a free port, with a client of it. */
final class RunningService implements AutoCloseable {
  static final String SCENARIO = """
      name: small
      run: {measure: 10 us}
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 2}
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 10 ns, max-payload: 1 KiB, overhead: 28 B, buffer: 16 KiB}
              centre: {type: generic, latency: 100 ns}
      workload: {type: traffic, load: 30 %}
      """;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Registry registry = Registry.discover(RunningService.class.getClassLoader(), List.of());
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<Throwable> bugs = new ArrayList<>();
  private final Service service;
  private final String token;

  RunningService(ServiceSettings settings, TaskRunner runner) throws IOException {
    service =
        Service.start(settings, new Service.Installed(registry, new TestProgram(), Launches.NONE), runner, bugs::add);
    token = settings.tokens().keySet().stream().findFirst().orElse("");
  }

  /** Settings of a service on a free port with two workers. */
  static ServiceSettings settings(Path data) {
    return new ServiceSettings("127.0.0.1", 0, List.of(), data, Databases.named(), 2, Map.of(), Optional.empty(),
        limits(1000));
  }

  static Limits limits(int requestMillis) {
    return new Limits(1 << 20, 10_000, 2, 60, 256, 10_000, 1000, requestMillis);
  }

  private record TestProgram() implements Program {
    @Override
    public String version() {
      return "test";
    }

    @Override
    public String build() {
      return "0123";
    }

    @Override
    public List<Path> pluginPath() {
      return List.of();
    }

    @Override
    public List<String> command(List<String> options) {
      throw new UnsupportedOperationException("tasks of this test run by another runner");
    }

    @Override
    public Optional<String> refusal(List<String> arguments) {
      return arguments.contains("--nodes=many") ? Optional.of("--nodes: 'many' is no number") : Optional.empty();
    }

    @Override
    public List<CommandOption> options(String command) {
      return List.of(new CommandOption("--nodes", "N", "Nodes", false, false));
    }
  }

  /** A response. */
  record Answer(int status, String body, Map<String, List<String>> headers) {
    JsonNode json() {
      try {
        return MAPPER.readTree(body);
      } catch (IOException e) {
        throw new AssertionError("no JSON: " + body, e);
      }
    }
  }

  int port() {
    return service.port();
  }

  /** Methods and paths of the interface. */
  Set<String> routes() {
    return service.routes().stream().filter(route -> route.access() != Route.Access.PAGE)
        .map(route -> route.method() + " " + route.path().getDeclaration())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Failures of requests that are bugs. */
  List<Throwable> bugs() {
    return bugs;
  }

  Answer get(String path, String... headers) throws IOException, InterruptedException {
    return send(request(path, headers).GET().build());
  }

  Answer delete(String path) throws IOException, InterruptedException {
    return send(request(path).DELETE().build());
  }

  Answer post(String path, JsonNode body, String... headers) throws IOException, InterruptedException {
    return send(request(path, headers).header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body.toString())).build());
  }

  private HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + port() + (path.startsWith("/api") ? path : "/api/v1" + path)));
    if (!token.isEmpty()) {
      builder.header("Authorization", "Bearer " + token);
    }
    return headers.length == 0 ? builder : builder.headers(headers);
  }

  private Answer send(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body(), response.headers().map());
  }

  /** Asks a scenario whose seed makes it a question of its own. */
  Answer ask(int seed, int priority) throws IOException, InterruptedException {
    return post("/tasks", question("seed: " + seed + "\n" + SCENARIO).put("priority", priority));
  }

  static ObjectNode question(String text) {
    return JsonNodeFactory.instance.objectNode().put("kind", "scenario").put("text", text);
  }

  /** Waits until a task is in a state. */
  JsonNode await(String id, String state) throws IOException, InterruptedException {
    long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    JsonNode task = get("/tasks/" + id).json();
    while (!task.path("state").asText().equals(state)) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("the task is not " + state + ": " + task);
      }
      Thread.sleep(20);
      task = get("/tasks/" + id).json();
    }
    return task;
  }

  /** Sends bytes as they are, and reads the response up to the end of the connection. */
  String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.UTF_8));
      out.flush();
      return answer(socket.getInputStream());
    }
  }

  /** The bytes of an answer up to the end of the connection; a refused head may end it by a reset. */
  private static String answer(InputStream in) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] part = new byte[8192];
    try {
      for (int count = in.read(part); count >= 0; count = in.read(part)) {
        read.write(part, 0, count);
      }
    } catch (SocketException e) {
      if (read.size() == 0) {
        throw e;
      }
    }
    return read.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    service.close();
    registry.close();
  }
}
