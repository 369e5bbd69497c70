package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A kind of task: a command, with those of its options that a request may give. Options that name files, or that read
 * the environment of a process, are not among them.
 */
enum TaskKind {
  /** One run of a scenario. */
  SCENARIO("scenario", "run", "scenario.yaml", List.of("--set", "--no-verify")),

  /** All points of a scenario's sweep. */
  SWEEP("sweep", "sweep", "scenario.yaml", List.of("--set", "--no-verify", "--threads")),

  /** One iteration of a training job. */
  TRAIN("train", "train", "", List.of(
      "--model", "--cluster", "--nodes", "--global-batch", "--tp", "--pp", "--vp", "--cp", "--ep", "--etp",
      "--micro-batch", "--sequence", "--fidelity", "--precision", "--recompute", "--sharding", "--order", "--layout",
      "--no-sequence-parallel", "--ignore-memory", "--ranks", "--ranks-per-node", "--replicas", "--cp-exchange",
      "--cp-heads", "--tokens", "--trace", "--set",
      "--execution", "--kernels", "--power-limit", "--collectives")),

  /** The fastest division of a training job. */
  SEARCH("search", "search", "", List.of(
      "--model", "--cluster", "--nodes", "--global-batch", "--sequence", "--precision", "--tokens", "--memory-reserve",
      "--top", "--confirm", "--fidelity", "--set", "--execution", "--kernels", "--power-limit", "--collectives")),

  /** A table of nccl-tests. */
  NCCL_TESTS("nccl-tests", "nccl-tests", "", List.of(
      "--cluster", "--nodes", "--gpus-per-node", "--minbytes", "--maxbytes", "--stepfactor", "--stepbytes",
      "--datatype", "--op", "--root", "--iters", "--nthreads", "--ngpus", "--fidelity", "--nccl", "--env", "--timing",
      "--set", "--cudagraph", "--check")),

  /** The runs of an HPL.dat. */
  HPL("hpl", "hpl", "HPL.dat", List.of(
      "--cluster", "--nodes", "--system", "--model", "--node-grid", "--memory", "--hardware", "--kernels", "--compare",
      "--set"));

  private final String key;
  private final String command;
  private final String textFile;
  private final ImmutableList<String> options;

  TaskKind(String key, String command, String textFile, List<String> options) {
    this.key = key;
    this.command = command;
    this.textFile = textFile;
    this.options = ImmutableList.copyOf(options);
  }

  /** The kind of a name in the interface. */
  static Optional<TaskKind> of(String key) {
    return Arrays.stream(values()).filter(kind -> kind.key.equals(key)).findFirst();
  }

  /** The name in the interface, such as {@code nccl-tests}. */
  String key() {
    return key;
  }

  /** The command of the command line. */
  String command() {
    return command;
  }

  /** The name of the file that holds the text of the question; empty for kinds without a text. */
  String textFile() {
    return textFile;
  }

  /** Whether the text is a scenario. */
  boolean scenario() {
    return textFile.endsWith(".yaml");
  }

  /** The options that a request may give. */
  List<String> options() {
    return options;
  }
}
