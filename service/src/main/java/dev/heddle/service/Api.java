package dev.heddle.service;

import static dev.heddle.service.Route.Access.OPEN;
import static dev.heddle.service.Route.Access.USER;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.cli.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The routes of the interface below {@code /api/v1}; {@code openapi.json} describes them. */
final class Api {
  static final String BASE = "/api/v1";

  private static final int MOST_LISTED = 1000;
  private static final String REPORT_POLICY = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';"
      + " style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

  private final Submissions submissions;
  private final TaskStore store;
  private final TaskLists lists;
  private final TaskQueue queue;
  private final Catalogue catalogue;
  private final FabricView fabrics;
  private final AccessGuard guard;

  Api(
      Submissions submissions, TaskStore store, TaskQueue queue, Catalogue catalogue, FabricView fabrics,
      AccessGuard guard) {
    this.submissions = submissions;
    this.store = store;
    this.lists = new TaskLists(store);
    this.queue = queue;
    this.catalogue = catalogue;
    this.fabrics = fabrics;
    this.guard = guard;
  }

  /** All routes. */
  List<Route> routes(Program program, ServiceSettings settings) {
    return List.of(
        Route.of("GET", BASE + "/openapi.json", OPEN,
            (exchange, user) -> exchange.reply(200, Exchange.JSON, Assets.bytes("openapi.json"))),
        Route.of("GET", BASE + "/service", OPEN, (exchange, user) -> exchange.reply(200, service(exchange, program,
            settings))),
        Route.of("POST", BASE + "/session", OPEN, this::openSession),
        Route.of("DELETE", BASE + "/session", OPEN, this::closeSession),
        get("/kinds", (exchange, user) -> exchange.reply(200, catalogue.kinds())),
        get("/presets", (exchange, user) -> exchange.reply(200, catalogue.presets())),
        get("/presets/{id}",
            (exchange, user) -> exchange.reply(200, catalogue.preset(exchange.parameter("id")))),
        get("/blocks", (exchange, user) -> exchange.reply(200, catalogue.blocks())),
        get("/settings", (exchange, user) -> exchange.reply(200, catalogue.scenarioSettings())),
        get("/settings/{kind}/{id}", (exchange, user) -> exchange.reply(200,
            catalogue.settings(exchange.parameter("kind"), exchange.parameter("id")))),
        get("/samples", (exchange, user) -> exchange.reply(200, exchange.query("name").isEmpty()
            ? catalogue.samples() : catalogue.sample(exchange.query("name")))),
        post("/check", this::check),
        post("/topology", (exchange, user) -> exchange.reply(200, fabrics.of(exchange.json()))),
        get("/tasks", this::list),
        post("/tasks", this::submit),
        get("/tasks/{id}", (exchange, user) -> exchange.reply(200, whole(task(exchange)))),
        Route.of("DELETE", BASE + "/tasks/{id}", USER, this::delete),
        post("/tasks/{id}/cancel",
            (exchange, user) -> exchange.reply(200, whole(submissions.cancel(user, exchange.parameter("id"))))),
        post("/tasks/{id}/retry", (exchange, user) -> exchange.reply(200,
            whole(submissions.retry(user, exchange.parameter("id"), exchange.json())))),
        get("/tasks/{id}/live", this::live),
        get("/tasks/{id}/summary", this::summary),
        get("/tasks/{id}/results", (exchange, user) -> file(exchange, Exchange.JSON, "results",
            folder(exchange).results(task(exchange).kind()))),
        get("/tasks/{id}/output", (exchange, user) -> file(exchange, Exchange.TEXT, "output",
            folder(exchange).output())),
        get("/tasks/{id}/report", this::report),
        get("/tasks/{id}/trace", this::trace),
        get("/compare", (exchange, user) -> exchange.reply(200, ComparisonJson.of(
            run(exchange.query("a")), run(exchange.query("b"))))));
  }

  private static Route get(String path, Route.Action action) {
    return Route.of("GET", BASE + path, USER, action);
  }

  private static Route post(String path, Route.Action action) {
    return Route.of("POST", BASE + path, USER, action);
  }

  private ObjectNode service(Exchange exchange, Program program, ServiceSettings settings) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("version", program.version()).put("tokens", guard.asksForTokens());
    try {
      String user = guard.user(exchange.request());
      root.put("user", user).put("build", program.build()).put("workers", settings.workers());
      ObjectNode counts = root.putObject("tasks");
      store.counts("").forEach((state, count) -> counts.put(state.key(), count));
      root.putObject("limits").put("requestBytes", settings.limits().requestBytes())
          .put("openTasks", settings.limits().openTasks()).put("runningTasks", settings.limits().runningTasks())
          .put("taskSeconds", settings.limits().taskSeconds()).put("memoryMiB", settings.limits().memoryMiB())
          .put("terminals", settings.limits().terminals()).put("points", settings.limits().points());
    } catch (RequestException e) {
      root.put("user", "");
    }
    return root;
  }

  private void openSession(Exchange exchange, String ignored) {
    String token = exchange.json().path("token").asText();
    String user = guard.user(token);
    exchange.header("Set-Cookie", AccessGuard.COOKIE + "=" + token + "; Path=/; HttpOnly; SameSite=Strict");
    exchange.reply(200, JsonNodeFactory.instance.objectNode().put("user", user));
  }

  private void closeSession(Exchange exchange, String ignored) {
    exchange.header("Set-Cookie", AccessGuard.COOKIE + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    exchange.done(204);
  }

  private void check(Exchange exchange, String user) {
    Submissions.Candidate candidate = submissions.candidate(exchange.json());
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("id", candidate.id()).put("name", candidate.checked().name()).put("points", candidate.checked().points());
    root.put("state", store.find(candidate.id()).map(task -> task.state().key()).orElse("new"));
    exchange.reply(200, root);
  }

  private void submit(Exchange exchange, String user) {
    Submissions.Accepted accepted = submissions.submit(user, exchange.json());
    exchange.header("Location", BASE + "/tasks/" + accepted.task().id());
    exchange.reply(accepted.known() ? 200 : 201, whole(accepted.task()));
  }

  private void list(Exchange exchange, String user) {
    Optional<TaskState> state = Arrays.stream(TaskState.values())
        .filter(each -> each.key().equals(exchange.query("state"))).findFirst();
    if (state.isEmpty() && !exchange.query("state").isEmpty()) {
      throw new RequestException(RequestException.BAD_REQUEST, List.of(new Fault("state", 0, "must be one of "
          + String.join(", ", Arrays.stream(TaskState.values()).map(TaskState::key).toList()))));
    }
    exchange.reply(200, Exchange.JSON, lists.answer(new TaskLists.Choice(state, exchange.query("user"),
        exchange.number("limit", 100, MOST_LISTED), exchange.number("offset", 0, Integer.MAX_VALUE))));
  }

  private void delete(Exchange exchange, String user) {
    submissions.delete(user, exchange.parameter("id"));
    exchange.done(204);
  }

  private void live(Exchange exchange, String user) throws IOException {
    Optional<Path> file = queue.folder(task(exchange).id()).live();
    if (file.isPresent()) {
      exchange.file(Exchange.JSON, file.get());
    } else {
      exchange.reply(200, JsonNodeFactory.instance.objectNode().put("kind", "none"));
    }
  }

  private void summary(Exchange exchange, String user) throws IOException {
    Task task = task(exchange);
    Path results = queue.folder(task.id()).run()
        .orElseThrow(() -> new RequestException(RequestException.NOT_FOUND, "the task has no results of a run"));
    exchange.reply(200, ResultSummary.of(results));
  }

  private void report(Exchange exchange, String user) throws IOException {
    exchange.header("Content-Security-Policy", REPORT_POLICY);
    file(exchange, Exchange.HTML, "report", folder(exchange).report());
  }

  private void trace(Exchange exchange, String user) throws IOException {
    exchange.header("Content-Disposition", "attachment; filename=\"trace-" + task(exchange).id() + ".json\"");
    file(exchange, Exchange.JSON, "trace", folder(exchange).trace());
  }

  private TaskFolder folder(Exchange exchange) {
    Task task = task(exchange);
    if (task.state() != TaskState.DONE) {
      throw new RequestException(RequestException.CONFLICT, "the task is " + task.state().key() + ", not done");
    }
    return queue.folder(task.id());
  }

  private static void file(Exchange exchange, String type, String what, Optional<Path> file) throws IOException {
    exchange.file(type, file.orElseThrow(
        () -> new RequestException(RequestException.NOT_FOUND, "the task has no " + what)));
  }

  private Path run(String id) {
    return queue.folder(submissions.find(id).id()).run().orElseThrow(() -> new RequestException(
        RequestException.NOT_FOUND, "the task " + id + " has no results of a run"));
  }

  private Task task(Exchange exchange) {
    return submissions.find(exchange.parameter("id"));
  }

  private ObjectNode whole(Task task) {
    ObjectNode node = TaskLists.json(task);
    node.set("question", task.question().json());
    TaskFolder folder = queue.folder(task.id());
    boolean done = task.state() == TaskState.DONE;
    ObjectNode parts = node.putObject("parts");
    Map.of("summary", folder.run(), "results", folder.results(task.kind()), "report", folder.report(),
        "trace", folder.trace(), "output", folder.output())
        .forEach((name, file) -> parts.put(name, done && file.isPresent()));
    if (done) {
      node.put("warnings", String.join("\n", folder.messages().lines()
          .filter(line -> line.startsWith("heddle: warning: "))
          .map(line -> line.substring("heddle: warning: ".length())).toList()));
    }
    return node;
  }
}
