package dev.heddle.cli.serve;

import dev.heddle.cli.BlockOption;
import dev.heddle.cli.CommandContext;
import dev.heddle.registry.PluginKind;
import dev.heddle.service.Service;
import dev.heddle.service.ServiceSettings;
import dev.heddle.service.ServiceSettings.Limits;
import dev.heddle.service.TaskRunner;
import dev.heddle.service.TaskRunnerKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.text.Unreadable;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Serves simulations to browsers and programs until it is interrupted. */
@Command(
    name = "serve",
    description = "Serve simulations to browsers and programs: a queue of tasks, each in a process of its own, with a"
        + " front end and a REST interface. Tasks and results are kept in a folder, and outlive the service.")
final class ServeCommand implements Callable<Integer> {
  private static final String SAMPLES = "heddle.samples";
  private static final PluginKind KIND = new TaskRunnerKind();
  private static final int MOST_WORKERS = 256;
  private static final int LEAST_TOKEN = 16;

  private final CommandContext context;

  @Option(names = "--port", paramLabel = "N", description = "The port (default: 8088); 0 takes any that is free.")
  private int port = 8088;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description = "The address to listen on (default: 127.0.0.1). Others than this machine's loopback need"
          + " --token-file; put a proxy with TLS before it.")
  private String address = "127.0.0.1";

  @Option(
      names = "--name",
      paramLabel = "HOST",
      description = "A name by which browsers call this host; requests for other names are refused. May be repeated.")
  private List<String> names = List.of();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The folder of tasks and results (default: results/service).")
  private Path data = Path.of("results", "service");

  @Option(
      names = "--database",
      paramLabel = "URL",
      description = "JDBC URL of the database of tasks, whose driver is on the class path; without it, an embedded one"
          + " in --data.")
  private @Nullable String database;

  @Option(names = "--workers", paramLabel = "N", description = "Tasks that run at once (default: half of the cores).")
  private int workers = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  @Option(
      names = "--runner",
      paramLabel = "RUNNER",
      description = "Where tasks run: local (default), slurm or kubernetes, or a mapping with settings, as in '{type:"
          + " slurm, partition: long}'.")
  private String runner = "local";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "A file with a line 'USER TOKEN' for each user; requests must then bear a token.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--inputs",
      paramLabel = "DIR",
      description = "The folder whose files scenarios may name, and whose scenarios are offered as samples (default:"
          + " the scenarios that are shipped).")
  private @Nullable Path inputs;

  @Option(
      names = "--task-memory",
      paramLabel = "MIB",
      description = "Memory of a task's process in MiB (default: 2048).")
  private int memory = 2048;

  @Option(
      names = "--task-time",
      paramLabel = "SECONDS",
      description = "Time after which a task is ended (default: 3600).")
  private int seconds = 3600;

  @Option(
      names = "--tasks-per-user",
      paramLabel = "N",
      description = "Tasks of one user that may wait or run (default: 2000).")
  private int open = 2000;

  @Option(
      names = "--running-per-user",
      paramLabel = "N",
      description = "Tasks of one user that run at once (default: as many as --workers).")
  private @Nullable Integer running;

  @Option(
      names = "--most-terminals",
      paramLabel = "N",
      description = "Terminals of a scenario's cluster (default: 131072).")
  private int terminals = 131_072;

  ServeCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    ServiceSettings settings = settings();
    try (Service service = Service.start(
        settings, new Service.Installed(context.registry(), context.program(), launch(settings)), runner(),
        this::log)) {
      String host = settings.address().contains(":") ? "[" + settings.address() + "]" : settings.address();
      context.print("Heddle serves http://" + host + ":" + service.port() + "/ with " + workers
          + (workers == 1 ? " worker" : " workers") + "; tasks are kept in " + data + "; end it by Ctrl-C\n");
      CountDownLatch interrupted = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        interrupted.countDown();
        awaitQuietly(closed);
      }, "end"));
      interrupted.await();
      service.close();
      closed.countDown();
      return 0;
    } catch (IOException e) {
      throw new InvalidSettingException("", "cannot serve " + address + ":" + port + ": " + e.getMessage());
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void log(Throwable failure) {
    StringBuilder text = new StringBuilder("heddle: a request failed by a bug: " + failure);
    for (StackTraceElement element : failure.getStackTrace()) {
      text.append("\n  at ").append(element);
    }
    context.message(text.toString());
  }

  private ServiceSettings settings() {
    require("--port", port, 0, 65_535);
    require("--workers", workers, 1, MOST_WORKERS);
    require("--task-memory", memory, 64, 1 << 20);
    require("--task-time", seconds, 1, 30 * 86_400);
    require("--tasks-per-user", open, 1, 1_000_000);
    require("--running-per-user", running == null ? workers : running, 1, MOST_WORKERS);
    require("--most-terminals", terminals, 1, 4_000_000);
    Map<String, String> tokens = tokenFile == null ? Map.of() : tokens(tokenFile);
    if (tokens.isEmpty() && !loopback(address)) {
      throw new InvalidSettingException("",
          "--address " + address + ": others than this machine reach it; name the users and"
              + " their tokens by --token-file");
    }
    Limits standard = Limits.standard(workers);
    return new ServiceSettings(
        address, port, names, data, Optional.ofNullable(database), workers, tokens, inputs(),
        new Limits(standard.requestBytes(), open, running == null ? workers : running, seconds, memory, terminals,
            standard.points(), standard.requestMillis()));
  }

  private static void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new InvalidSettingException("", option + " " + value + ": must be " + least + " to " + most);
    }
  }

  private Optional<Path> inputs() {
    if (inputs == null) {
      return Optional.ofNullable(System.getProperty(SAMPLES)).map(Path::of).filter(Files::isDirectory);
    }
    if (!Files.isDirectory(inputs)) {
      throw new InvalidSettingException("", "--inputs " + inputs + ": is no folder");
    }
    return Optional.of(inputs);
  }

  private static boolean loopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new InvalidSettingException("", "--address " + address + ": is no address of this machine");
    }
  }

  private static Map<String, String> tokens(Path file) {
    Map<String, String> tokens = new LinkedHashMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        String[] words = line.strip().split("\\s+", -1);
        if (line.isBlank() || line.startsWith("#")) {
          continue;
        }
        if (words.length != 2 || !words[0].matches("[A-Za-z0-9._@-]{1,100}")
            || !words[1].matches("[A-Za-z0-9._~+/=-]{" + LEAST_TOKEN + ",200}")) {
          throw new InvalidSettingException("",
              "--token-file " + file + ": a line is no 'USER TOKEN' with a token of at least "
                  + LEAST_TOKEN + " letters, digits and ._~+/=-");
        }
        if (tokens.put(words[1], words[0]) != null) {
          throw new InvalidSettingException("", "--token-file " + file + ": two users have the same token");
        }
      }
    } catch (IOException e) {
      throw new InvalidSettingException("", "--token-file " + Unreadable.message(file, e));
    }
    if (tokens.isEmpty()) {
      throw new InvalidSettingException("", "--token-file " + file + ": names no user");
    }
    return tokens;
  }

  private TaskRunner runner() {
    return (TaskRunner) BlockOption.of(context.registry(), KIND, "--runner", runner);
  }

  private TaskRunner.Launch launch(ServiceSettings settings) {
    String plugins = context.program().pluginPath().stream().map(path -> path.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
    int heap = settings.limits().memoryMiB();
    List<String> options = List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto", "-Xmx" + heap + "m",
        "-Dheddle.inputs=" + Service.inputs(settings).property().orElse(""));
    Map<String, String> environment = new LinkedHashMap<>();
    for (String name : List.of("PATH", "LANG", "LC_ALL", "TMPDIR")) {
      Optional.ofNullable(System.getenv(name)).ifPresent(value -> environment.put(name, value));
    }
    return new TaskRunner.Launch(
        context.program().command(List.of("-Dheddle.plugin.path=" + plugins)), options, environment, heap);
  }
}
