package dev.heddle.cli.nccl;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.primitives.Ints;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of nccl-tests. */
final class TestOptions {
  private static final String ALL = "all";
  private static final int BFLOAT16_SINCE = 10;
  private static final int FLOAT8_SINCE = 24;
  private static final int AVERAGE_SINCE = 10;
  private static final int MULTIPLIED_SUM_SINCE = 11;
  private static final int MOST_CALLS = 1000;
  private static final long MOST_ROWS = 10_000;

  @Option(names = {"-t", "--nthreads"}, paramLabel = "N", description = "Threads of a process (1).")
  private int threads = 1;

  @Option(names = {"-g", "--ngpus"}, paramLabel = "N", description = "GPUs of a thread (1).")
  private int gpus = 1;

  @Option(names = {"-b", "--minbytes"}, paramLabel = "SIZE", description = "The smallest size (32M).")
  private String least = "32M";

  @Option(names = {"-e", "--maxbytes"}, paramLabel = "SIZE", description = "The largest size (32M).")
  private String most = "32M";

  @Option(names = {"-i", "--stepbytes"}, paramLabel = "SIZE", description = "Difference between rows (1M).")
  private String step = "1M";

  @Option(names = {"-f", "--stepfactor"}, paramLabel = "N", description = "Ratio between rows.")
  private int factor;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      description = "Calls a row (20); a run of the network makes as many of broadcast and reduce.")
  private int iterations = 20;

  @Option(names = {"-w", "--warmup_iters"}, paramLabel = "N",
      description = "Calls before (1); printed, without effect.")
  private int warmUps = 1;

  @Option(names = {"-m", "--agg_iters"}, paramLabel = "N", description = "Calls a launch (1); printed, without effect.")
  private int aggregated = 1;

  @Option(names = {"-N", "--run_cycles"}, paramLabel = "N",
      description = "Number of times that the table is printed (1).")
  private int cycles = 1;

  @Option(names = {"-o", "--op"}, paramLabel = "OP", description = "sum, prod, max, min, avg, mulsum or all (sum).")
  private String operation = "sum";

  @Option(
      names = {"-d", "--datatype"},
      paramLabel = "TYPE",
      description = "int8 to double, half, bfloat16, f8e4m3, f8e5m2 or all (float).")
  private String type = "float";

  @Option(names = {"-r", "--root"}, paramLabel = "RANK", description = "The root, where there is one, or all (0).")
  private String root = "0";

  @Option(names = {"-c", "--check"}, paramLabel = "N", description = "0: no results are checked, N/A is printed (1).")
  private int check = 1;

  @Option(names = {"-z", "--blocking"}, paramLabel = "N", description = "Without effect.")
  private int blocking;

  @Option(names = {"-G", "--cudagraph"}, paramLabel = "N", description = "Replay a graph: hosts queue nothing (0).")
  private int graph;

  @Option(names = {"-C", "--report_cputime"}, paramLabel = "N", description = "Without effect.")
  private int cpuTime;

  @Option(names = {"-a", "--average"}, paramLabel = "N",
      description = "Of ranks that all take as long: without effect.")
  private int average = 1;

  @Option(
      names = {"-D", "-I", "-S", "-M", "-T", "-x", "-u", "-p"},
      paramLabel = "N",
      description = "Device kernels, iterations, time stamps, memory, time-out, CTA policy, alignment,"
          + " parallel start: without effect.")
  private List<String> others = List.of();

  @Option(
      names = {"-R", "--local_register"},
      paramLabel = "N",
      description = "2: buffers in symmetric windows, for which NCCL 2.27 and newer has kernels of its own, as its cost"
          + " model expects them; 1, registration of each rank alone, is without effect (0).")
  private int registration;

  @Option(names = "-J", paramLabel = "FILE", description = "Write the results as JSON to a file too.")
  private @Nullable Path jsonFile;

  /** The types of a version and the bytes of an element. */
  private static Map<String, Integer> typesOf(NcclVersion version) {
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
    if (version.since(BFLOAT16_SINCE)) {
      types.put("bfloat16", 2);
    }
    if (version.since(FLOAT8_SINCE)) {
      types.put("f8e4m3", 1);
      types.put("f8e5m2", 1);
    }
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

  /** The bytes of an element of each type that is asked for, in the order of nccl-tests. */
  Map<String, Integer> types(NcclVersion version) {
    Map<String, Integer> known = typesOf(version);
    List<String> chosen = chosen("-d", type, List.copyOf(known.keySet()), version);
    return ImmutableMap.copyOf(Maps.filterKeys(known, chosen::contains));
  }

  /** The reductions that are asked for, in the order of nccl-tests. */
  List<String> operations(NcclVersion version) {
    List<String> known = new ArrayList<>(List.of("sum", "prod", "max", "min"));
    if (version.since(AVERAGE_SINCE)) {
      known.add("avg");
    }
    if (version.since(MULTIPLIED_SUM_SINCE)) {
      known.add("mulsum");
    }
    return chosen("-o", operation, known, version);
  }

  private static List<String> chosen(String option, String value, List<String> known, NcclVersion version) {
    if (value.equals(ALL)) {
      return known;
    }
    if (!known.contains(value)) {
      throw new InvalidSettingException("", option + " " + value + ": is none of " + String.join(", ", known)
          + " of NCCL " + version + ", nor all" + NearestMatch.hint(value, known));
    }
    return List.of(value);
  }

  /** The roots that are asked for. */
  List<Integer> roots(int ranks) {
    if (root.equals(ALL) || root.equals("-1")) {
      return IntStream.range(0, ranks).boxed().toList();
    }
    Integer number = Ints.tryParse(root);
    if (number == null || number < 0 || number >= ranks) {
      throw new InvalidSettingException(
          "", "-r " + root + ": there are ranks 0 to " + (ranks - 1) + "; write one of them, or all");
    }
    return List.of(number);
  }

  /** The GPUs of a process. */
  int perProcess(int perNode) {
    if (threads < 1 || gpus < 1 || perNode % ((long) threads * gpus) != 0) {
      throw new InvalidSettingException("", "-t " + threads + " -g " + gpus
          + ": processes of so many GPUs do not fill the " + perNode + " of a node");
    }
    return threads * gpus;
  }

  int iterations() {
    if (iterations < 1 || iterations > MOST_CALLS) {
      throw new InvalidSettingException("", "-n " + iterations + ": must be 1 to " + MOST_CALLS);
    }
    return iterations;
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

  /** Whether buffers lie in symmetric windows. */
  boolean symmetric() {
    if (registration < 0 || registration > 2) {
      throw new InvalidSettingException("", "-R " + registration + ": must be 0, 1 or 2, for no registration, one by"
          + " each rank, and symmetric windows");
    }
    return registration == 2;
  }

  Optional<Path> jsonFile() {
    return Optional.ofNullable(jsonFile);
  }

  /** The numbers that the head of the table repeats, in its order. */
  int[] repeated() {
    if (iterations < 1) {
      throw new InvalidSettingException("", "-n " + iterations + ": must be at least 1");
    }
    return new int[] {threads, gpus, warmUps, iterations, aggregated, check, graph};
  }
}
