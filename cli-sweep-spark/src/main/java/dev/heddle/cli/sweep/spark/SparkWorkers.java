package dev.heddle.cli.sweep.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;

/**
 * The application that Spark runs: as many tasks as there are workers, each of which runs its worker's process to the
 * end. It stands on the classes of Spark and the JDK alone, as the rest of Heddle is not on executors' class path.
 */
public final class SparkWorkers {
  /** Times that Spark runs a worker anew, which was killed with its executor or by itself, before it gives up. */
  static final int MOST_FAILURES = 100;

  private SparkWorkers() {}

  /** The arguments of {@link #main}: number of workers, working directory, folder of the sweep, words of the program. */
  static List<String> arguments(int workers, Path folder, List<String> program, List<String> arguments) {
    List<String> all = new ArrayList<>(
        List.of("" + workers, Path.of("").toAbsolutePath().toString(), folder.toString(), program.get(0),
            // A worker ends when its executor does, also by a kill.
            "-Dheddle.ends-with-input=true"));
    all.addAll(program.subList(1, program.size()));
    all.addAll(arguments);
    return all;
  }

  /**
   * Runs the workers, and returns when all have ended.
   *
   * @param args as {@link SparkEngineProvider} passes them
   */
  public static void main(String[] args) {
    int workers = Integer.parseInt(args[0]);
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      List<Integer> numbers = IntStream.rangeClosed(1, workers).boxed().toList();
      spark.setLocalProperty("spark.job.interruptOnCancel", "true");
      spark.parallelize(new ArrayList<>(numbers), workers)
          .foreach(new Task(workers, args[1], args[2], new ArrayList<>(Arrays.asList(args).subList(3, args.length))));
    }
  }

  /** Runs one worker on an executor. */
  private static final class Task implements VoidFunction<Integer> {
    private static final long serialVersionUID = 1L;
    /** Exit codes from here on are those of processes that a signal ended. */
    private static final int SIGNALLED = 128;

    private final int workers;
    private final String directory;
    private final String folder;
    private final ArrayList<String> program;

    Task(int workers, String directory, String folder, ArrayList<String> program) {
      this.workers = workers;
      this.directory = directory;
      this.folder = folder;
      this.program = program;
    }

    @Override
    public void call(Integer worker) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>(program);
      command.addAll(List.of("--shard", worker + "/" + workers));
      Process process = new ProcessBuilder(command).directory(new File(directory)).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(folder, "spark-" + worker + ".log"))).start();
      try {
        int exit = process.waitFor();
        // Others say in their log why points are left, and would say so again.
        if (exit >= SIGNALLED) {
          throw new IOException("worker " + worker + " was ended by signal " + (exit - SIGNALLED));
        }
      } finally {
        process.destroyForcibly();
      }
    }
  }
}
