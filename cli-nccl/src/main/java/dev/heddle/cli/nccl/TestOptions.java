package dev.heddle.cli.nccl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of nccl-tests. */
final class TestOptions {
  private static final Map<String, Integer> TYPES = types();
  private static final List<String> OPERATIONS = List.of("sum", "prod", "min", "max", "avg");
  private static final long MOST_ROWS = 10_000;

  @Option(names = {"-t", "--nthreads"}, paramLabel = "N", description = "Threads of a process (1).")
  private int threads = 1;

  @Option(names = {"-g", "--ngpus"}, paramLabel = "N", description = "GPUs of a thread (1).")
  private int gpus = 1;

  @Option(names = {"-b", "--minbytes"}, paramLabel = "SIZE", description = "The smallest size (32M).")
  private String least = "32M";

  @Option(names = {"-e", "--maxbytes"}, paramLabel = "SIZE", description = "The largest size (32M).")
  private String most = "32M";

  @Option(names = {"-i", "--stepbytes"}, paramLabel = "SIZE", description = "What is added from row to row (1M).")
  private String step = "1M";

  @Option(names = {"-f", "--stepfactor"}, paramLabel = "N", description = "By what a row is larger than the last.")
  private int factor;

  @Option(names = {"-n", "--iters"}, paramLabel = "N", description = "Calls a row (20); printed, without effect.")
  private int iterations = 20;

  @Option(names = {"-w", "--warmup_iters"}, paramLabel = "N", description = "Calls before (1); printed, without effect.")
  private int warmUps = 1;

  @Option(names = {"-m", "--agg_iters"}, paramLabel = "N", description = "Calls a launch (1); printed, without effect.")
  private int aggregated = 1;

  @Option(names = {"-N", "--run_cycles"}, paramLabel = "N", description = "Cycles (1); how often the table is printed.")
  private int cycles = 1;

  @Option(names = {"-o", "--op"}, paramLabel = "OP", description = "sum, prod, min, max or avg (sum).")
  private String operation = "sum";

  @Option(names = {"-d", "--datatype"}, paramLabel = "TYPE", description = "int8 to double, half, bfloat16 (float).")
  private String type = "float";

  @Option(names = {"-r", "--root"}, paramLabel = "RANK", description = "The root, where there is one (0).")
  private int root;

  @Option(names = {"-c", "--check"}, paramLabel = "N", description = "0: no results are checked, N/A is printed (1).")
  private int check = 1;

  @Option(names = {"-z", "--blocking"}, paramLabel = "N", description = "Without effect.")
  private int blocking;

  @Option(names = {"-G", "--cudagraph"}, paramLabel = "N", description = "Replay a graph: hosts queue nothing (0).")
  private int graph;

  @Option(names = {"-C", "--report_cputime"}, paramLabel = "N", description = "Without effect.")
  private int cpuTime;

  @Option(names = {"-a", "--average"}, paramLabel = "N", description = "Of ranks that all take as long: without effect.")
  private int average = 1;

  @Option(
      names = {"-R", "-D", "-I", "-S", "-M", "-T", "-x", "-u", "-p"},
      paramLabel = "N",
      description = "Registration, device kernels, iterations, time stamps, memory, time-out, CTA policy, alignment,"
          + " parallel start: without effect.")
  private List<String> others = List.of();

  @Option(names = "-J", paramLabel = "FILE", description = "Write the results as JSON to a file too.")
  private @Nullable String jsonFile;

  private static Map<String, Integer> types() {
    Map<String, Integer> types = new LinkedHashMap<>();
    types.put("int8", 1);
    types.put("uint8", 1);
    types.put("int32", 4);
    types.put("uint32", 4);
    types.put("int64", 8);
    types.put("uint64", 8);
    types.put("half", 2);
    types.put("float", 4);
    types.put("double", 8);
    types.put("bfloat16", 2);
    return types;
  }

  /** The sizes of the rows. */
  record Range(long least, long most, long step, int factor) {
    long next(long size) {
      return factor > 1 ? Math.multiplyExact(size, factor) : Math.addExact(size, step);
    }
  }

  Range range() {
    long from = Sizes.parse("-b", least);
    long to = Sizes.parse("-e", most);
    long by = Sizes.parse("-i", step);
    if (from > to) {
      throw new InvalidSettingException("", "-b " + least + " is more than -e " + most);
    }
    if (factor < 0 || factor <= 1 && by == 0 || factor > 1 && from == 0) {
      throw new InvalidSettingException(
          "", "sizes from " + least + " to " + most + " need -i above 0, or -f above 1 and -b above 0");
    }
    if (factor <= 1 && (to - from) / by > MOST_ROWS) {
      throw new InvalidSettingException("", "-i " + step + " makes more than " + MOST_ROWS + " rows");
    }
    return new Range(from, to, by, factor);
  }

  int elementBytes() {
    Integer bytes = TYPES.get(type);
    if (bytes == null) {
      throw new InvalidSettingException("", "-d " + type + ": is none of " + String.join(", ", TYPES.keySet())
          + NearestMatch.hint(type, TYPES.keySet()));
    }
    return bytes;
  }

  String typeName() {
    return type;
  }

  String operation() {
    if (!OPERATIONS.contains(operation)) {
      throw new InvalidSettingException("", "-o " + operation + ": is none of " + String.join(", ", OPERATIONS)
          + NearestMatch.hint(operation, OPERATIONS));
    }
    return operation;
  }

  int root(int ranks) {
    if (root < 0 || root >= ranks) {
      throw new InvalidSettingException("", "-r " + root + ": there are ranks 0 to " + (ranks - 1));
    }
    return root;
  }

  /** The GPUs of a process. */
  int perProcess(int perNode) {
    if (threads < 1 || gpus < 1 || perNode % ((long) threads * gpus) != 0) {
      throw new InvalidSettingException("", "-t " + threads + " -g " + gpus
          + ": processes of so many GPUs do not fill the " + perNode + " of a node");
    }
    return threads * gpus;
  }

  int cycles() {
    if (cycles < 1 || cycles > 100) {
      throw new InvalidSettingException("", "-N " + cycles + ": must be 1 to 100");
    }
    return cycles;
  }

  boolean checked() {
    return check > 0;
  }

  boolean graph() {
    return graph > 0;
  }

  @Nullable String jsonFile() {
    return jsonFile;
  }

  /** The numbers that the head of the table repeats, in its order. */
  int[] repeated() {
    return new int[] {threads, gpus, warmUps, iterations, aggregated, check, graph};
  }
}
