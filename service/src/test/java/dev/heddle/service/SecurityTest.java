package dev.heddle.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.service.RunningService.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityTest {
  private static final int REQUEST_MS = 1000;

  @TempDir
  private static Path folder;

  private static RunningService service;

  @BeforeAll
  static void start() throws IOException {
    Path inputs = Files.createDirectories(folder.resolve("inputs"));
    Files.writeString(inputs.resolve("pairs.csv"), "0,1,1 KiB\n");
    Files.writeString(folder.resolve("secret.csv"), "0,1,1 KiB\n");
    Files.createSymbolicLink(inputs.resolve("link.csv"), folder.resolve("secret.csv"));
    ServiceSettings base = RunningService.settings(folder.resolve("data"));
    service = new RunningService(
        new ServiceSettings(
            base.address(), 0, List.of(), base.data(), base.database(), 2, Map.of(), Optional.of(inputs),
            RunningService.limits(REQUEST_MS)),
        new ScriptedRunner());
  }

  @AfterAll
  static void stop() {
    service.close();
    assertThat(service.bugs()).isEmpty();
  }

  private String status(String request) throws IOException {
    return service.raw(request).lines().findFirst().orElse("");
  }

  private static String head(String first, String... headers) {
    return first + " HTTP/1.1\r\nConnection: close\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
  }

  @Test
  void shouldRefuseWhenHostIsAnotherName() throws IOException {
    String list = "GET /api/v1/tasks";
    assertThat(status(head(list, "Host: localhost:8088"))).contains("200");
    assertThat(status(head(list, "Host: evil.example"))).contains("403");
    assertThat(status(head("GET /", "Host: evil.example:80"))).contains("403");
    assertThat(status(list + " HTTP/1.0\r\n\r\n")).contains("403");
  }

  @Test
  void shouldRefuseWhenPageOfOtherSiteCalls() throws Exception {
    assertThat(service.get("/tasks", "Origin", "http://evil.example").status()).isEqualTo(403);
    assertThat(service.get("/tasks", "Origin", "null").status()).isEqualTo(403);
    assertThat(service.get("/tasks", "Sec-Fetch-Site", "cross-site").status()).isEqualTo(403);
    assertThat(service.get("/tasks", "Sec-Fetch-Site", "same-site").status()).isEqualTo(403);
    assertThat(service.get("/tasks", "Origin", "http://127.0.0.1:" + service.port()).status()).isEqualTo(200);
    String form = "kind=scenario";
    assertThat(status(head("POST /api/v1/tasks", "Host: localhost", "Content-Type: text/plain",
        "Content-Length: " + form.length()) + form)).contains("415");
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/app.js/../../x", "//etc/passwd",
      "/api/v1/tasks/..%2f..%2f..%2fetc/report", "/api/v1/tasks/../../../etc/passwd", "/api/v1/presets/..%2f..%2fx",
      "/api/v1/samples?name=../secret.csv", "/api/v1/samples?name=/etc/passwd", "/api/v1/tasks/%00/report",
      "/api/v1/tasks/....//....//report", "/%5c..%5c..%5cwindows"})
  void shouldAnswerNothingWhenPathLeavesFolder(String path) throws IOException {
    String answer = service.raw(head("GET " + path, "Host: localhost"));
    assertThat(answer.lines().findFirst().orElse("")).containsAnyOf("404", "400");
    assertThat(answer).doesNotContain("root:").doesNotContain("1 KiB");
  }

  private Answer ask(String workload) throws IOException, InterruptedException {
    return service.post("/tasks", RunningService.question(RunningService.SCENARIO.replace(
        "{type: traffic, load: 30 %}", workload)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/passwd", "../secret.csv", "link.csv", "x/../../secret.csv", "none.csv"})
  void shouldRefuseWhenScenarioNamesFileOutsideOfInputs(String file) throws Exception {
    Answer refused = ask("{type: collective, op: all_to_all_v, pairs: " + file + "}");
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.json().at("/faults/0/path").asText()).isEqualTo("workload.pairs");
    assertThat(refused.json().at("/faults/0/message").asText()).contains("files may be named here");
  }

  @Test
  void shouldReadFileWhenItIsAnInput() throws Exception {
    Answer answer = ask("{type: collective, op: all_to_all_v, pairs: pairs.csv, ranks: 2}");
    assertThat(answer.body()).doesNotContain("files may be named here");
  }

  @Test
  void shouldRefuseWhenYamlIsABomb() throws Exception {
    assertThat(ask("{type: &a [1], load: *a}").status()).isEqualTo(422);
    StringBuilder bomb = new StringBuilder("a: &a [x, x]\n");
    for (char c = 'b'; c < 'k'; c++) {
      bomb.append(c).append(": &").append(c).append(" [*").append((char) (c - 1)).append(", *").append((char) (c - 1))
          .append("]\n");
    }
    assertThat(service.post("/tasks", RunningService.question(bomb.toString())).status()).isEqualTo(422);
    assertThat(service.post("/tasks", RunningService.question("[".repeat(100_000))).status()).isEqualTo(422);
    assertThat(service.post("/tasks", RunningService.question("a: !!java.net.URL [x]")).status()).isEqualTo(422);
  }

  @Test
  void shouldRefuseWhenClusterOrSweepIsHuge() throws Exception {
    String huge = RunningService.SCENARIO.replace("accelerator: 2", "accelerator: 100000");
    assertThat(service.post("/tasks", RunningService.question(huge)).json().at("/faults/0/message").asText())
        .isEqualTo("the cluster would have 100000 terminals; at most 10000 are possible");
    String axis = IntStream.range(1, 40).boxed().toList().toString();
    ObjectNode swept = RunningService.question(
        RunningService.SCENARIO + "sweep: {seed: " + axis + ", workload.shift: " + axis + "}\n");
    assertThat(service.post("/tasks", swept.put("kind", "sweep")).json().at("/faults/0/message").asText())
        .isEqualTo("has more than 1000 points");
  }

  @Test
  void shouldRefuseWhenRequestIsTooLarge() throws Exception {
    for (int time = 0; time < 20; time++) {
      assertThat(service.post("/tasks", RunningService.question("x".repeat(2 << 20))).status()).isEqualTo(413);
    }
    String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
    String chunked = head("POST /api/v1/tasks", "Host: localhost", "Content-Type: application/json",
        "Transfer-Encoding: chunked") + chunk.repeat(20) + "0\r\n\r\n";
    assertThat(status(chunked)).contains("413");
    assertThat(status(head("GET /", "Host: localhost", "X: " + "x".repeat(100_000)))).contains("431");
    assertThat(service.post("/tasks", JsonNodeFactory.instance.objectNode().put("kind", "train")
        .set("options", JsonNodeFactory.instance.objectNode().put("--model", "m".repeat(30_000)))).status())
        .isEqualTo(422);
  }

  @Test
  void shouldEndConnectionWhenHeadTricklesIn() throws Exception {
    assertThat(trickled("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")).isLessThan(6 * REQUEST_MS);
    assertThat(service.get("/tasks").status()).isEqualTo(200);
  }

  @Test
  void shouldEndConnectionWhenBodyTricklesIn() throws Exception {
    assertThat(trickled("POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: 100000\r\n\r\n")).isLessThan(6 * REQUEST_MS);
    assertThat(service.get("/tasks").status()).isEqualTo(200);
  }

  /** Milliseconds until the connection ends, while a byte follows every tenth of a second. */
  private long trickled(String begin) throws IOException, InterruptedException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
      socket.setSoTimeout(100);
      OutputStream out = socket.getOutputStream();
      out.write(begin.getBytes(StandardCharsets.US_ASCII));
      long start = System.nanoTime();
      while (System.nanoTime() - start < 20_000_000_000L) {
        try {
          out.write('x');
          out.flush();
          if (socket.getInputStream().read() < 0) {
            break;
          }
        } catch (java.net.SocketTimeoutException e) {
          continue;
        } catch (IOException e) {
          break;
        }
      }
      return (System.nanoTime() - start) / 1_000_000;
    }
  }

  @Test
  void shouldForbidForeignContentWhenPagesAreServed() throws Exception {
    String page = service.raw(head("GET /", "Host: localhost"));
    assertThat(page).contains("Content-Security-Policy: default-src 'none'; script-src 'self'")
        .contains("X-Content-Type-Options: nosniff").contains("frame-ancestors 'none'").doesNotContain("Server:");
    assertThat(page.substring(page.indexOf("\r\n\r\n"))).doesNotContain("http://").doesNotContain("https://")
        .doesNotContain("<script>");
    for (String script : List.of("app.js", "api.js", "charts.js", "forms.js", "pages.js", "dom.js", "service.css")) {
      assertThat(new String(Assets.bytes(script), StandardCharsets.UTF_8)).as(script).doesNotContain("http://")
          .doesNotContain("https://").doesNotContain("innerHTML").doesNotContain("eval(");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--out", "--json", "--list-kernels", "--plugin-path", "-J", "--read-env", "@/etc/passwd",
      "--compare"})
  void shouldRefuseWhenOptionReadsOrWritesFiles(String option) throws Exception {
    ObjectNode question =
        JsonNodeFactory.instance.objectNode().put("kind", "nccl-tests").put("test", "all_reduce_perf");
    question.putObject("options").put(option, "/etc/passwd");
    assertThat(service.post("/tasks", question).status()).isEqualTo(422);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc/passwd", "scenario.yaml", "../x.yaml", "hgx-h100.yaml"})
  void shouldRefuseWhenClusterIsNoPreset(String cluster) throws Exception {
    ObjectNode question = JsonNodeFactory.instance.objectNode().put("kind", "train");
    question.putObject("options").put("--cluster", cluster);
    assertThat(service.post("/tasks", question).json().at("/faults/0/path").asText()).isEqualTo("--cluster");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@/etc/passwd", "../x", "--help", "all_reduce_perf --out=x", ""})
  void shouldRefuseWhenTestIsNoName(String test) throws Exception {
    ObjectNode question = JsonNodeFactory.instance.objectNode().put("kind", "nccl-tests").put("test", test);
    assertThat(service.post("/tasks", question).json().at("/faults/0/path").asText()).isEqualTo("test");
  }

  @Test
  void shouldAskForTokenWhenThereAreUsers() throws Exception {
    ServiceSettings base = RunningService.settings(folder.resolve("other"));
    try (RunningService closed = new RunningService(
        new ServiceSettings(
            base.address(), 0, List.of("heddle.example"), base.data(), base.database(), 1,
            Map.of("0123456789abcdef", "ann"), Optional.empty(), base.limits()),
        new ScriptedRunner())) {
      assertThat(closed.get("/tasks").status()).isEqualTo(200);
      String list = "GET /api/v1/tasks";
      assertThat(closed.raw(head(list, "Host: heddle.example"))).contains("401 Unauthorized");
      assertThat(closed.raw(head(list, "Host: localhost", "Authorization: Bearer 0123456789abcdeX"))).contains("401");
      assertThat(closed.raw(head(list, "Host: localhost", "Cookie: heddle-token=0123456789abcdef"))).contains("200 OK");
      assertThat(closed.raw(head("GET /api/v1/service", "Host: localhost"))).doesNotContain("build");
      Answer session =
          closed.post("/session", JsonNodeFactory.instance.objectNode().put("token", "0123456789abcdef"));
      assertThat(session.headers().getOrDefault("set-cookie", List.of("")).get(0)).contains("HttpOnly")
          .contains("SameSite=Strict");
      assertThat(closed.post("/session", JsonNodeFactory.instance.objectNode().put("token", "x\r\ny")).status())
          .isEqualTo(401);
    }
  }

  @Test
  void shouldRefuseWhenBodyIsNoQuestion() throws Exception {
    assertThat(service.post("/tasks", JsonNodeFactory.instance.arrayNode()).status()).isEqualTo(400);
    assertThat(service.post("/tasks", JsonNodeFactory.instance.objectNode().put("kind", "shell")).status())
        .isEqualTo(422);
    assertThat(service.post("/tasks", RunningService.question("name: x").put("command", "rm")).status()).isEqualTo(422);
    String deep = "{\"kind\":" + "[".repeat(5000);
    assertThat(status(head("POST /api/v1/tasks", "Host: localhost", "Content-Type: application/json",
        "Content-Length: " + deep.length()) + deep)).contains("400");
    assertThat(service.get("/tasks?limit=-1").status()).isEqualTo(400);
    assertThat(status(head("GET /api/v1/tasks?state=%ff%zz", "Host: localhost"))).contains("400");
    assertThat(status(head("PUT /api/v1/tasks", "Host: localhost", "Content-Length: 0"))).contains("405");
  }
}
