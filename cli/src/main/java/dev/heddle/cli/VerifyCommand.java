package dev.heddle.cli;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.collectives.msccl.MscclFile;
import dev.heddle.collectives.msccl.MscclWriter;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.registry.PluginKind;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.standard.workload.PairFile;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.export.GoalWriter;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Proves the schedule of a collective, or prints its faults. */
@Command(
    name = "verify",
    description = "Prove the schedule of a collective and count its messages; exit 1 where it is wrong, with rank and"
        + " step. Ranks are the first accelerators of the cluster; without one, accelerators at one switch.")
final class VerifyCommand implements Callable<Integer> {
  private static final int MOST_RANKS = 4096;

  private final Installation installation;
  private final Console console;

  @Parameters(
      paramLabel = "ALGORITHM",
      description = "An algorithm with its settings, as ring or '{type: ring, channels: 4}', or an MSCCL file,"
          + " FILE.xml, which states operation and ranks.")
  private String algorithm = "";

  @Option(names = "--op", paramLabel = "OP", description = "The operation (default: ${DEFAULT-VALUE}).")
  private String op = "all_reduce";

  @Option(names = "--ranks", paramLabel = "N", description = "Number of ranks (default: ${DEFAULT-VALUE}).")
  private int ranks = 8;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "The largest buffer of a rank (default: ${DEFAULT-VALUE}).")
  private String size = "1 MiB";

  @Option(
      names = "--pairs",
      paramLabel = "FILE",
      description = "Of all_to_all_v, in place of --ranks and --size: a line per sending rank with the bytes for each"
          + " rank, divided by blanks or commas.")
  private @Nullable Path pairs;

  @Option(names = "--root", paramLabel = "RANK", description = "The root, where the operation has one.")
  private @Nullable Integer root;

  @Option(
      names = "--window",
      paramLabel = "N",
      description = "Messages that a connection holds; without it, as many as the algorithm needs.")
  private @Nullable Integer window;

  @Mixin
  private final ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--msccl", paramLabel = "FILE", description = "Write the schedule as MSCCL XML.")
  private @Nullable Path msccl;

  @Option(names = "--goal", paramLabel = "FILE", description = "Write the schedule as GOAL text.")
  private @Nullable Path goal;

  @Option(names = "--list", description = "Print every step.")
  private boolean list;

  @Inject
  VerifyCommand(Installation installation, Console console) {
    this.installation = installation;
    this.console = console;
  }

  @Override
  public Integer call() {
    Optional<OutputFile> xml = output("--msccl", msccl);
    Optional<OutputFile> text = output("--goal", goal);
    Schedule schedule = algorithm.endsWith(".xml") ? ofFile() : ofAlgorithm();
    Verdict verdict = verifier(schedule.window()).verify(schedule);
    if (list) {
      console.print(schedule.listing());
    }
    if (!verdict.proved()) {
      verdict.findings().forEach(finding -> console.print(finding.fault() + " at " + finding + "\n"));
      return Main.BOUND_BROKEN;
    }
    console.print(counts(schedule, verdict));
    xml.ifPresent(file -> file.write(MscclWriter.write(schedule)));
    text.ifPresent(file -> file.write(GoalWriter.write(schedule)));
    return Main.OK;
  }

  private Schedule ofAlgorithm() {
    Collective collective = collective();
    CollectiveAlgorithm planner = planner();
    Fabric fabric = cluster.given() ? cluster.fabric(installation.registry()) : oneNode(collective.ranks());
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    int ranks = collective.ranks();
    if (accelerators.length < ranks) {
      throw new UsageException("--ranks " + ranks + ": the cluster has " + accelerators.length + " accelerators");
    }
    return planner.communicator(fabric, Group.of(Arrays.copyOf(accelerators, ranks))).plan(collective).schedule();
  }

  // The file states operation and ranks. The proof takes place here, not in the reader, so that faults are printed as
  // those of any other schedule.
  private Schedule ofFile() {
    MscclFile file = MscclFile.read(Path.of(algorithm));
    return file.schedule(Collective.of(file.op(), file.ranks(), file.nearestSize(bytes()), file.root()))
        .withWindow(MscclFile.WINDOW);
  }

  private long bytes() {
    try {
      return DataSize.parse(size).bytes();
    } catch (IllegalArgumentException e) {
      throw new UsageException("--size: " + e.getMessage());
    }
  }

  private CollectiveAlgorithm planner() {
    String text = algorithm.strip().startsWith("{") ? algorithm : "{type: " + algorithm + "}";
    return (CollectiveAlgorithm) new ScenarioReader(installation.registry())
        .block(PluginKind.COLLECTIVE_ALGORITHM, "ALGORITHM", text);
  }

  private Verifier verifier(int needed) {
    int messages = window == null ? needed : window;
    if (messages < 1) {
      throw new UsageException("--window " + messages + ": must be at least 1");
    }
    return Verifier.withWindow(messages);
  }

  private Collective collective() {
    CollectiveOp operation = CollectiveOption.parse("--op", op, Arrays.asList(CollectiveOp.values()));
    if ((operation == CollectiveOp.ALL_TO_ALL_V) != (pairs != null)) {
      throw new UsageException("--pairs: " + (pairs == null
          ? "all_to_all_v needs a file with the bytes of each pair" : "only all_to_all_v has a size per pair"));
    }
    if (pairs != null) {
      return PairFile.read(pairs, message -> new UsageException("--pairs: " + message));
    }
    if (ranks < 1 || ranks > MOST_RANKS) {
      throw new UsageException("--ranks " + ranks + ": must be 1 to " + MOST_RANKS);
    }
    try {
      Collective collective = Collective.of(operation, ranks, bytes());
      return root == null ? collective : collective.withRoot(root);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--root: " + e.getMessage());
    }
  }

  // Without a cluster the ranks share one switch: the schedule then depends on the group alone.
  private static Fabric oneNode(int accelerators) {
    Link link = new GenericLinkProvider()
        .create(GenericLinkProvider.Settings.of(DataRate.parse("100 Gb/s"), SimTime.parse("100 ns")));
    Switch centre = new GenericSwitchProvider()
        .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));
    return Fabric.of(List.of(Tier.inner(
        "node", Map.of(DeviceKind.ACCELERATOR, accelerators), centre,
        new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre)))));
  }

  private static String counts(Schedule schedule, Verdict verdict) {
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    long most = 0;
    long least = Long.MAX_VALUE;
    for (int rank = 0; rank < counts.ranks(); rank++) {
      most = Math.max(most, counts.bytesSent(rank));
      least = Math.min(least, counts.bytesSent(rank));
    }
    return "proved: " + schedule + "\n"
        + "  steps " + counts.steps() + ", messages " + counts.messages() + ", rounds " + verdict.rounds() + "\n"
        + "  channels " + counts.channels() + ", thread blocks " + counts.threadBlocks() + "\n"
        + "  bytes sent " + counts.bytesSent() + ", per rank " + least + " to " + most + "\n";
  }

  private static Optional<OutputFile> output(String option, @Nullable Path file) {
    return Optional.ofNullable(file).map(given -> OutputFile.of(option, given));
  }
}
