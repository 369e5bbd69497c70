package dev.heddle.cli;

import com.google.common.collect.ImmutableList;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The work that an engine spreads over workers. Worker {@code i} of {@code n} runs the program with the arguments and
 * {@code --shard i/n}; it must see the scenario and the folder under the same paths as this process.
 *
 * @param name of the scenario
 * @param workers number of workers, at least 1
 * @param threads points that a worker runs at once
 * @param folder of the sweep, absolute, which all workers share
 * @param program command that starts Heddle here: the Java virtual machine with its options and the main class
 * @param arguments of Heddle, all but the shard
 */
public record SweepJob(
    String name,
    int workers,
    int threads,
    Path folder,
    List<String> program,
    List<String> arguments) {
  /** Copies the lists. */
  public SweepJob {
    program = ImmutableList.copyOf(program);
    arguments = ImmutableList.copyOf(arguments);
  }

  /**
   * The command of a worker.
   *
   * @param worker from 1 to {@code workers}
   */
  public List<String> command(int worker) {
    return Stream.of(program, arguments, List.of("--shard", worker + "/" + workers)).flatMap(List::stream).toList();
  }

  /**
   * A shell's command, quoted for POSIX {@code sh}.
   *
   * @param words to quote, such as {@link #program} and {@link #arguments}
   * @param worker text that the shell replaces by the number of the worker, such as {@code $SLURM_ARRAY_TASK_ID}
   */
  public String shell(List<String> words, String worker) {
    return ShellWords.quoted(words) + " --shard \"" + worker + "/" + workers + "\"";
  }
}
