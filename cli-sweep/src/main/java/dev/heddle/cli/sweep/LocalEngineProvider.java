package dev.heddle.cli.sweep;

import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Provides an engine of processes on this machine; one that is killed or runs out of memory costs no other. */
@Plugin(id = "local", description = "Worker processes on this machine")
public final class LocalEngineProvider implements SweepEngineProvider<LocalEngineProvider.Settings> {
  private static final long GRACE_SECONDS = 5;

  /** The engine has no settings. */
  public record Settings() {}

  @Override
  public SweepEngine create(Settings settings) {
    return new LocalEngine();
  }

  private static final class LocalEngine implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      return Optional.empty();
    }

    @Override
    public Workers start(SweepJob job) {
      List<Process> processes = new ArrayList<>();
      LocalWorkers workers = new LocalWorkers(processes);
      try {
        for (int worker = 1; worker <= job.workers(); worker++) {
          File log = job.folder().resolve("worker-" + worker + ".log").toFile();
          processes.add(
              new ProcessBuilder(job.command(worker)).redirectErrorStream(true)
                  .redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start());
        }
      } catch (IOException e) {
        workers.cancel();
        throw new InvalidSettingException("", "--engine local: a worker cannot be started: " + e.getMessage());
      }
      return workers;
    }
  }

  private record LocalWorkers(List<Process> processes) implements SweepEngine.Workers {
    @Override
    public String name() {
      return "processes " + String.join(", ", processes.stream().map(process -> "" + process.pid()).toList());
    }

    @Override
    public boolean running() {
      return processes.stream().anyMatch(Process::isAlive);
    }

    @Override
    public void cancel() {
      processes.forEach(Process::destroy);
      try {
        for (Process process : processes) {
          if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
          }
        }
      } catch (InterruptedException e) {
        processes.forEach(Process::destroyForcibly);
        Thread.currentThread().interrupt();
      }
    }
  }
}
