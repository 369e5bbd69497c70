package dev.heddle.bench.track;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Compares the cost of a data packet on a link under credits, under NSCC and in htsim, on one permutation.
 *
 * <p>Each measurement is a process of its own, in turns. The figure is processor time over the links that the data
 * packets of the permutation cross: acknowledgements and repeated packets are costs, not work. Virtual machines run
 * the simulation before they measure; htsim is one run of its process, its start included.
 */
@Command(
    name = "networks",
    mixinStandardHelpOptions = true,
    description = "Compares processor time per data packet and link of a permutation under credits and under NSCC, and"
        + " in htsim where its program is given.")
final class NetworksCommand implements Callable<Integer> {
  private static final String CREDITS = "credits";
  private static final String NSCC = "nscc";
  private static final String HTSIM = "htsim";
  private static final int MOST_HOSTS = 1 << 14;
  private static final long SEED = 1;
  private static final int BYTES_PER_MIB = 1 << 20;
  private static final double NS_PER_US = 1000;
  // The commit of ultraethernet/uet-htsim whose options are used.
  private static final String HTSIM_COMMIT = "40ccb05";

  @Spec
  private @Nullable CommandSpec spec;

  @Option(names = "--hosts", paramLabel = "N", split = ",", defaultValue = "128,1024",
      description = "Hosts of the fat trees, k cubed over 4 for an even k (default: ${DEFAULT-VALUE}).")
  private List<Integer> hosts = List.of();

  @Option(names = "--mib", paramLabel = "MIB", defaultValue = "8",
      description = "MiB that each host sends (default: ${DEFAULT-VALUE}).")
  private int mebibytes = 8;

  @Option(names = "--rounds", defaultValue = "5", description = "Processes of each network (default: 5).")
  private int rounds = 5;

  @Option(names = "--runs", defaultValue = "3", description = "Runs of a process that count (default: 3).")
  private int runs = 3;

  @Option(names = "--jvm", paramLabel = "OPTIONS", defaultValue = "-XX:+UseSerialGC",
      description = "Options of the virtual machines (default: ${DEFAULT-VALUE}).")
  private String options = "-XX:+UseSerialGC";

  @Option(names = "--htsim", paramLabel = "FILE", description = "The program htsim_uec of ultraethernet/uet-htsim.")
  private @Nullable Path htsim;

  @Override
  public Integer call() {
    if (mebibytes < 1 || rounds < 1 || runs < 1) {
      throw new TrackException("--mib, --rounds and --runs are at least 1");
    }
    if (htsim != null && !Files.isExecutable(htsim)) {
      throw new TrackException(htsim + ": is no program; --htsim takes the path to htsim_uec");
    }
    PrintWriter out = RunCommand.spec(spec).commandLine().getOut();
    for (int count : hosts) {
      compare(count, ports(count), out);
    }
    return Track.OK;
  }

  /** Ports of a switch of the three-tier fat tree with so many hosts. */
  static int ports(int hosts) {
    int ports = (int) Math.round(Math.cbrt(4.0 * hosts));
    if (hosts < 1 || hosts > MOST_HOSTS || ports % 2 != 0 || ports * ports * ports != 4 * hosts) {
      throw new TrackException("--hosts: " + hosts + " is not k cubed over 4 for an even k of at most 40, such as 128");
    }
    return ports;
  }

  /** The destination of each host: a permutation without fixed points. */
  static List<Integer> permutation(int hosts) {
    List<Integer> destinations = new ArrayList<>();
    for (int host = 0; host < hosts; host++) {
      destinations.add(host);
    }
    Random random = new Random(SEED);
    boolean fixed = true;
    while (fixed) {
      Collections.shuffle(destinations, random);
      fixed = false;
      for (int host = 0; host < hosts; host++) {
        fixed |= destinations.get(host) == host;
      }
    }
    return destinations;
  }

  /** A permutation as htsim's connection matrix. */
  static String matrix(List<Integer> destinations, long bytes) {
    StringBuilder text = new StringBuilder();
    text.append("Nodes ").append(destinations.size()).append("\nConnections ").append(destinations.size()).append('\n');
    for (int host = 0; host < destinations.size(); host++) {
      text.append(host).append("->").append(destinations.get(host)).append(" id ").append(host + 1)
          .append(" start 0 size ").append(bytes).append('\n');
    }
    return text.toString();
  }

  private void compare(int count, int ports, PrintWriter out) {
    try {
      Path matrix = Files.createTempFile("permutation", ".cm");
      try {
        Files.writeString(matrix, matrix(permutation(count), (long) mebibytes * BYTES_PER_MIB));
        compare(count, ports, matrix, out);
      } finally {
        Files.deleteIfExists(matrix);
      }
    } catch (IOException e) {
      throw new TrackException("the matrix cannot be written: " + e.getMessage());
    }
  }

  private void compare(int count, int ports, Path matrix, PrintWriter out) throws IOException {
    Map<String, List<double[]>> times = new LinkedHashMap<>();
    Map<String, long[]> counts = new LinkedHashMap<>();
    List<String> networks = htsim == null ? List.of(CREDITS, NSCC) : List.of(CREDITS, NSCC, HTSIM);
    for (int round = 0; round < rounds; round++) {
      List<String> turns = new ArrayList<>(networks);
      if (Rounds.baselineFirst(round)) {
        Collections.reverse(turns);
      }
      for (String each : turns) {
        double[] measured = each.equals(HTSIM) ? htsim(count, matrix) : heddle(each, count, ports, matrix, counts);
        times.computeIfAbsent(each, any -> new ArrayList<>()).add(measured);
      }
    }
    long crossings = counts.get(CREDITS)[0];
    times.values().forEach(list -> list.forEach(each -> {
      for (int i = 0; i < each.length; i++) {
        each[i] /= crossings * NS_PER_US;
      }
    }));
    print(count, crossings, networks, times, counts, out);
  }

  private void print(
      int count, long crossings, List<String> networks, Map<String, List<double[]>> times, Map<String, long[]> counts,
      PrintWriter out) {
    out.printf(Locale.ROOT, "%,d hosts, %d MiB each: %,d links crossed by data packets; us of processor time for each,"
        + " %d rounds%n", count, mebibytes, crossings, rounds);
    out.printf(Locale.ROOT, "  %-8s %8s %8s %14s %14s%n", "", "least", "median", "packets", "events");
    for (String each : networks) {
      double[] all = times.get(each).stream().flatMapToDouble(Arrays::stream).sorted().toArray();
      long[] exact = counts.get(each);
      out.printf(Locale.ROOT, "  %-8s %8.3f %8.3f %14s %14s%n", each, all[0], Interval.of(all).median(),
          exact == null ? "-" : String.format(Locale.ROOT, "%,d", exact[0]),
          exact == null ? "-" : String.format(Locale.ROOT, "%,d", exact[1]));
    }
    out.println("  " + ratio(NSCC, CREDITS, times));
    if (htsim != null) {
      out.println("  " + ratio(NSCC, HTSIM, times) + "; " + version(htsim));
    }
    out.flush();
  }

  // By the least of all runs, and by the median of the ratios within rounds.
  private static String ratio(String above, String below, Map<String, List<double[]>> times) {
    List<double[]> over = times.get(above);
    List<double[]> under = times.get(below);
    double[] ratios = new double[over.size()];
    for (int round = 0; round < ratios.length; round++) {
      ratios[round] = Interval.of(over.get(round)).median() / Interval.of(under.get(round)).median();
    }
    Interval interval = Interval.of(ratios);
    return String.format(Locale.ROOT, "%s / %s: %.2f by the least, %.2f by the median (%.2f..%.2f)", above, below,
        least(over) / least(under), interval.median(), interval.low(), interval.high());
  }

  private static double least(List<double[]> times) {
    return times.stream().flatMapToDouble(Arrays::stream).min().orElseThrow();
  }

  private double[] heddle(String network, int count, int ports, Path matrix, Map<String, long[]> counts) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options.strip().split(" +")));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), NetworkRun.class.getName(), network,
        matrix.toString(), Integer.toString(count), Integer.toString(ports), Integer.toString(runs)));
    List<String> lines = ended(network, Child.run(command, Path.of("."), Map.of())).out().lines().toList();
    double[] times = new double[runs];
    for (int run = 0; run < runs; run++) {
      String[] figures = lines.get(run).split(" ");
      times[run] = Double.parseDouble(figures[0]);
      long[] exact = {Long.parseLong(figures[1]), Long.parseLong(figures[2])};
      long[] before = counts.putIfAbsent(network, exact);
      if (before != null && !Arrays.equals(before, exact)) {
        throw new TrackException(network + ": two runs of the same network differ in packets or events");
      }
    }
    return times;
  }

  // The options with which the network of nscc.yaml is that of htsim; packets of 4160 B have 4096 of payload.
  private double[] htsim(int count, Path matrix) throws IOException {
    Path times = Files.createTempFile("htsim", ".times");
    try {
      Child child = ended(HTSIM, Child.run(
          List.of("sh", "-c", ProcessRunner.TIMED, "sh", times.toString(), String.valueOf(htsim), "-nodes",
              Integer.toString(count), "-linkspeed", "400000", "-mtu", "4160", "-hop_latency", "0.5", "-paths", "128",
              "-sender_cc_only", "-load_balancing_algo", "oblivious", "-end", "100000", "-tm", matrix.toString()),
          Path.of("."), Map.of()));
      long finished = child.out().lines().filter(line -> line.contains(" finished at ")).count();
      if (finished != count) {
        throw new TrackException(HTSIM + ": " + finished + " of " + count + " flows ended: " + child.complaint());
      }
      return new double[] {ProcessRunner.processorNs(Files.readString(times))};
    } finally {
      Files.deleteIfExists(times);
    }
  }

  private static Child ended(String network, Child child) {
    if (child.code() != 0) {
      throw new TrackException(network + ": ended with " + child.code() + ": " + child.complaint());
    }
    return child;
  }

  private static String version(Path program) {
    Path folder = program.toAbsolutePath().getParent();
    String commit = folder == null ? "" : new Git(folder).commit("HEAD").map(hash -> hash.substring(0, 7)).orElse("");
    return commit.isEmpty() ? "of an unknown commit, options of " + HTSIM_COMMIT : "of commit " + commit;
  }
}
