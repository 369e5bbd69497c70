package dev.heddle.cli;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Provides an engine for tests whose workers are threads with a stand-in for the simulation. */
@Plugin(id = "echo", description = "Threads that echo their points")
public final class EchoEngineProvider implements SweepEngineProvider<EchoEngineProvider.Settings> {
  /** Whether workers end before they run a point. */
  public record Settings(@Setting(value = "workers end at once", def = "false") boolean idle) {}

  @Override
  public SweepEngine create(Settings settings) {
    return new EchoEngine(settings.idle());
  }

  private record EchoEngine(boolean idle) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      return idle ? Optional.empty() : Optional.of(job.shell(job.arguments(), "$I") + "\n");
    }

    @Override
    public Workers start(SweepJob job) {
      List<Thread> threads = new ArrayList<>();
      for (int worker = 1; worker <= job.workers() && !idle; worker++) {
        String[] arguments =
            Stream.concat(job.arguments().stream(), Stream.of("--shard", worker + "/" + job.workers()))
                .toArray(String[]::new);
        threads.add(new Thread(() -> Cli.run(new EchoRunner(), arguments)));
      }
      threads.forEach(Thread::start);
      return new EchoWorkers(threads);
    }
  }

  private record EchoWorkers(List<Thread> threads) implements SweepEngine.Workers {
    @Override
    public String name() {
      return "threads";
    }

    @Override
    public boolean running() {
      return threads.stream().anyMatch(Thread::isAlive);
    }

    @Override
    public void cancel() {
      threads.forEach(Thread::interrupt);
    }
  }
}
