package dev.heddle.bench.track;

import com.google.common.base.Splitter;
import dev.heddle.spi.NearestMatch;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures benchmarks and commands of a build, alone or in pairs with a baseline. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = "Measures JMH benchmarks and whole processes of a build, each time in a process of its own; with a"
        + " baseline in the order ABBA, and compared by the ratios within rounds.")
final class RunCommand implements Callable<Integer> {
  private static final int MOST_ROUNDS = 1000;

  @Spec
  private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "PATTERN", arity = "0..*",
      description = "Regular expressions of benchmarks' names; 'process[.]' for commands. Without any, all.")
  private List<String> patterns = new ArrayList<>();

  @Option(names = "-p", paramLabel = "NAME=VALUE,...", description = "Measure these values of a parameter only.")
  private List<String> parameters = new ArrayList<>();

  @Option(names = "--checkout", paramLabel = "FOLDER", defaultValue = ".",
      description = "The build to measure: a checkout (default: the current folder).")
  private Path checkout = Path.of(".");

  @Option(names = "--baseline", paramLabel = "FOLDER|COMMIT",
      description = "Measure in pairs with another built checkout, or with a commit, which is built aside.")
  private @Nullable String baseline;

  @Option(names = "--self", description = "Measure in pairs with the same build, which must show no difference.")
  private boolean self;

  @Option(names = "--benchmarks", paramLabel = "PATH",
      description = "A jar or folder with JMH benchmarks of your own; repeat it for the jars that they need.")
  private List<Path> benchmarks = new ArrayList<>();

  @Option(names = "--baseline-benchmarks", paramLabel = "PATH",
      description = "The baseline's in the place of --benchmarks.")
  private List<Path> baselineBenchmarks = new ArrayList<>();

  @Option(names = "--commands", paramLabel = "FILE",
      description = "Commands to time as processes, in YAML: NAME: [ARGUMENT, ...].")
  private @Nullable Path commands;

  @Option(names = "--rounds", defaultValue = "6", description = "Measurements of each build (default: 6).")
  private int rounds = 6;

  @Option(names = "--warmup", paramLabel = "N", description = "Iterations before those that count, as JMH's -wi.")
  private @Nullable Integer warmup;

  @Option(names = "--iterations", paramLabel = "N", description = "Iterations that count, as JMH's -i.")
  private @Nullable Integer iterations;

  @Option(names = "--seconds", paramLabel = "S", description = "Seconds of an iteration, as JMH's -w and -r.")
  private @Nullable Integer seconds;

  @Option(names = "--jvm", paramLabel = "OPTIONS", defaultValue = "-XX:+UseSerialGC",
      description = "Options of the virtual machines of benchmarks (default: ${DEFAULT-VALUE}).")
  private String options = "-XX:+UseSerialGC";

  @Option(names = "--list", description = "List benchmarks and commands, and measure nothing.")
  private boolean list;

  @Option(names = "--store", description = "Keep the measurements in the history.")
  private boolean store;

  @Option(names = "--replace", description = "Let --store replace an entry of the same commit.")
  private boolean replace;

  @Option(names = "--history", paramLabel = "FOLDER", defaultValue = "bench/history",
      description = "The history (default: ${DEFAULT-VALUE}).")
  private Path history = Path.of("bench/history");

  @Option(names = "--note", paramLabel = "TEXT", defaultValue = "",
      description = "A note on the circumstances, such as other load of the machine.")
  private String note = "";

  @Option(names = "--commit", paramLabel = "ID", description = "Names the measured state (default: git's HEAD).")
  private @Nullable String commit;

  @Option(names = "--baseline-commit", paramLabel = "ID", description = "Names the baseline's state.")
  private @Nullable String baselineCommit;

  @Override
  public Integer call() {
    if (rounds < 1 || rounds > MOST_ROUNDS) {
      throw new TrackException("--rounds " + rounds + ": must be from 1 to " + MOST_ROUNDS);
    }
    if (self && baseline != null) {
      throw new TrackException("--self and --baseline: give one of the two");
    }
    Build build = Build.of(checkout, benchmarks);
    String name = state(build);
    if (store && !replace && Files.exists(new History(history).file(Machine.current(), name))) {
      throw new TrackException(new History(history).file(Machine.current(), name)
          + ": exists; --replace measures the commit anew");
    }
    Optional<Worktree> worktree = worktree(build);
    try (JmhRunner jmh = new JmhRunner(jmhOptions(), parameters, words(options))) {
      Build other = other(build, worktree);
      measure(jmh, build, name, other);
    } finally {
      worktree.ifPresent(Worktree::close);
    }
    return Track.OK;
  }

  private void measure(JmhRunner jmh, Build build, String name, @Nullable Build other) {
    ProcessRunner processes =
        new ProcessRunner(ProcessRunner.commands(commands), build.folder());
    List<Case> cases = cases(jmh, processes, build);
    PrintWriter out = spec(spec).commandLine().getOut();
    PrintWriter err = spec(spec).commandLine().getErr();
    if (list) {
      cases.forEach(each -> out.println(each.text()));
      return;
    }
    Set<Case> known = new LinkedHashSet<>();
    if (other != null) {
      known.addAll(other.isSame(build) ? cases : found(jmh, processes, other));
    }
    if (cases.stream().anyMatch(Case::isProcess)) {
      ProcessRunner.prepare(build);
      if (other != null) {
        ProcessRunner.prepare(other);
      }
    }
    Session.Outcome outcome = new Session(rounds,
        (measured, each) -> each.isProcess() ? processes.measure(measured, each) : jmh.measure(measured, each),
        err::println).measure(build, cases, other, known);
    Entry entry = new Entry(Entry.FORMAT, name, new Git(build.folder()).date(name), Machine.current(), note,
        words(options), outcome.build(), other == null ? null : baseline(other, outcome.baseline()));
    Tables.session(entry).forEach(out::println);
    if (store) {
      out.println("  stored: " + new History(history).store(entry));
    }
    out.flush();
  }

  private Entry.Baseline baseline(Build other, List<Series> series) {
    String name = baselineCommit == null ? named(other) : baselineCommit;
    return new Entry.Baseline(name, new Git(other.folder()).date(name), series);
  }

  private List<Case> cases(JmhRunner jmh, ProcessRunner processes, Build build) {
    List<Case> cases = found(jmh, processes, build);
    if (cases.isEmpty()) {
      List<String> all = new ArrayList<>(jmh.cases(build, ".*").stream().map(Case::benchmark).distinct().toList());
      processes.cases(Pattern.compile("")).forEach(each -> all.add(each.benchmark()));
      List<String> shorter = all.stream().map(each -> new Case(each, Map.of()).text()).toList();
      throw new TrackException("no benchmark's name contains a match of " + String.join(" or ", patterns)
          + "; there are " + String.join(", ", shorter) + NearestMatch.hint(patterns.get(0), shorter));
    }
    return cases;
  }

  private List<Case> found(JmhRunner jmh, ProcessRunner processes, Build build) {
    Set<Case> cases = new LinkedHashSet<>();
    for (String pattern : patterns.isEmpty() ? List.of("") : patterns) {
      try {
        Pattern compiled = Pattern.compile(pattern);
        cases.addAll(jmh.cases(build, pattern.isEmpty() ? ".*" : pattern));
        cases.addAll(processes.cases(compiled));
      } catch (PatternSyntaxException e) {
        throw new TrackException(pattern + ": is no regular expression: " + e.getDescription());
      }
    }
    return List.copyOf(cases);
  }

  private Optional<Worktree> worktree(Build build) {
    if (baseline == null || Files.isDirectory(Path.of(baseline))) {
      return Optional.empty();
    }
    String named = new Git(build.folder()).commit(baseline).orElseThrow(() -> new TrackException(
        "--baseline " + baseline + ": is neither a folder nor a commit of " + build.folder()));
    return Optional.of(Worktree.built(build.folder(), named));
  }

  private @Nullable Build other(Build build, Optional<Worktree> worktree) {
    List<Path> extra = baselineBenchmarks.isEmpty() ? benchmarks : baselineBenchmarks;
    if (worktree.isPresent()) {
      return Build.of(worktree.get().folder(), extra);
    }
    if (baseline != null) {
      return Build.of(Path.of(baseline), extra);
    }
    return self || !baselineBenchmarks.isEmpty() ? Build.of(build.folder(), extra) : null;
  }

  private String state(Build build) {
    if (commit != null) {
      return commit;
    }
    if (store && new Git(build.folder()).changed()) {
      throw new TrackException("--store: " + build.folder() + " has changes that are not committed; commit them, or"
          + " name the state by --commit");
    }
    return named(build);
  }

  private static String named(Build build) {
    return build.commit().isEmpty() ? "unversioned" : build.commit();
  }

  private List<String> jmhOptions() {
    List<String> given = new ArrayList<>();
    if (warmup != null) {
      given.addAll(List.of("-wi", warmup.toString()));
    }
    if (iterations != null) {
      given.addAll(List.of("-i", iterations.toString()));
    }
    if (seconds != null) {
      given.addAll(List.of("-w", seconds + "s", "-r", seconds + "s"));
    }
    return given;
  }

  private static List<String> words(String text) {
    return Splitter.on(' ').omitEmptyStrings().splitToList(text);
  }

  /** The command as picocli knows it, which it sets before each call. */
  static CommandSpec spec(@Nullable CommandSpec spec) {
    if (spec == null) {
      throw new IllegalStateException("no command is running");
    }
    return spec;
  }
}
