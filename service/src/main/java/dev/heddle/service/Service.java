package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import dev.heddle.cli.Program;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.InputFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.eclipse.jetty.server.ConnectionLimit;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A running service: queue, interface and front end. */
public final class Service implements AutoCloseable {
  private static final int MOST_CONNECTIONS = 1000;
  private static final int MOST_THREADS = 64;
  private static final int IDLE_MS = 30_000;
  private static final int HEADER_BYTES = 16 << 10;

  private final Server server;
  private final ServerConnector connector;
  private final TaskQueue queue;
  private final TaskStore store;
  private final ImmutableList<Route> routes;

  private Service(
      Server server, ServerConnector connector, TaskQueue queue, TaskStore store, List<Route> routes) {
    this.server = server;
    this.connector = connector;
    this.queue = queue;
    this.store = store;
    this.routes = ImmutableList.copyOf(routes);
  }

  /**
   * The installed parts that a service stands on.
   *
   * @param registry of plug-ins and presets
   * @param program that tasks run
   * @param launch of its processes
   */
  public record Installed(Registry registry, Program program, TaskRunner.Launch launch) {}

  /**
   * Starts a service.
   *
   * @param settings of it
   * @param installed plug-ins, presets and program
   * @param runner of tasks
   * @param log takes failures that are bugs
   * @throws IOException when it cannot listen, or cannot use its folder
   */
  public static Service start(
      ServiceSettings settings, Installed installed, TaskRunner runner, Consumer<Throwable> log) throws IOException {
    Path tasks = Files.createDirectories(settings.data().toAbsolutePath().resolve("tasks"));
    TaskStore store = open(settings);
    Clock clock = Clock.systemUTC();
    TaskQueue queue = new TaskQueue(
        store, new TaskQueue.Processes(runner, installed.launch()), tasks, settings.limits(), clock);
    InputFolders inputs = inputs(settings);
    AccessGuard guard = new AccessGuard(settings);
    Program program = installed.program();
    Submissions submissions = new Submissions(
        new QuestionCheck(installed.registry(), program, inputs, settings.limits()), store, queue, program.build(),
        settings.limits(), clock);
    Api api = new Api(
        submissions, store, queue, new Catalogue(installed.registry(), program, settings.inputs()),
        new FabricView(installed.registry(), inputs), guard);
    List<Route> routes = new ArrayList<>(Assets.routes());
    routes.addAll(api.routes(program, settings));
    Server server = new Server(threads());
    ServerConnector connector = connector(server, settings);
    server.setHandler(new HttpFrontDoor(routes, guard, settings.limits(), log));
    Service service = new Service(server, connector, queue, store, routes);
    try {
      server.start();
    } catch (Exception e) {
      service.close();
      throw new IOException(e.getMessage(), e);
    }
    queue.start(settings.workers());
    return service;
  }

  /** The folders whose files scenarios of a service may name. */
  public static InputFolders inputs(ServiceSettings settings) {
    return InputFolders.of(settings.inputs().stream().map(Path::toAbsolutePath).toList());
  }

  private static TaskStore open(ServiceSettings settings) throws IOException {
    try {
      return TaskStore.open(settings.database().orElseGet(() -> embedded(settings.data())));
    } catch (TaskStore.StoreException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  // A commit is written to the file at once: a process that is killed loses nothing.
  private static String embedded(Path data) {
    return "jdbc:h2:file:" + data.toAbsolutePath().resolve("tasks").normalize()
        + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
  }

  private static QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 4);
    threads.setName("http");
    threads.setDaemon(true);
    return threads;
  }

  private static ServerConnector connector(Server server, ServiceSettings settings) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setIdleTimeout(Math.min(IDLE_MS, 2L * settings.limits().requestMillis()));
    ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(settings.address());
    connector.setPort(settings.port());
    connector.setIdleTimeout(Math.min(IDLE_MS, 2L * settings.limits().requestMillis()));
    connector.addBean(new SlowRequestGuard(settings.limits().requestMillis()));
    connector.addBean(new ConnectionLimit(MOST_CONNECTIONS, server));
    server.addConnector(connector);
    return connector;
  }

  /** The routes of interface and front end. */
  List<Route> routes() {
    return routes;
  }

  /** The port that it listens on. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Stops listening, ends the processes of tasks, and closes the database; a later service goes on with the tasks. */
  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the server cannot be stopped", e);
    } finally {
      queue.close();
      store.close();
    }
  }
}
