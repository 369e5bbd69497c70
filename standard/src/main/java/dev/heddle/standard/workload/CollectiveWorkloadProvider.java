package dev.heddle.standard.workload;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.DataSize;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Provides collectives one after the other, in one group or in several at the same time. */
@Plugin(id = "collective",
    description = "A collective, once or several times, in one group of ranks or in several concurrently")
public final class CollectiveWorkloadProvider implements WorkloadProvider<CollectiveWorkloadProvider.Settings> {
  /**
   * The collectives to run.
   *
   * @param op the operation
   * @param size of the largest buffer of any rank, as nccl-tests counts it; absent with pairs
   * @param pairs a {@link PairFile} of the bytes of each pair of an all_to_all_v
   * @param root rank within each group, where the operation has a root
   * @param repeats number of consecutive calls
   * @param participants kind of the terminals that take part
   * @param ranks number of them that take part, from the first; without it, all
   * @param groups of ranks, each of which runs the collectives; without it, one of all ranks
   */
  public record Settings(
      @Setting(value = "operation", def = "all_reduce") CollectiveOp op,
      @Setting(
          value = "the largest buffer of any rank, as nccl-tests counts it; needed without pairs", min = "1 B",
          max = "1 TiB") Optional<DataSize> size,
      @Setting("of an all_to_all_v: a file with a line per sending rank, the bytes for each; relative to the "
          + "scenario") Optional<Path> pairs,
      @Setting(value = "root within each group, where the operation has one", def = "0", min = "0") int root,
      @Setting(value = "number of consecutive calls", def = "1", min = "1", max = "1000000") int repeats,
      @Setting(value = "kind of the terminals that take part", def = "accelerator") DeviceKind participants,
      @Setting("number of them that take part, from the first; without it, all") Optional<Integer> ranks,
      @Setting("groups of ranks that run the collectives concurrently; without it, one of all "
          + "ranks") List<List<Integer>> groups) {
    /** Copies the lists. */
    public Settings {
      groups = groups.stream().map(List::copyOf).toList();
    }

    /** One collective of all accelerators, rooted at the first. */
    public static Settings of(CollectiveOp op, DataSize size) {
      return new Settings(
          op, Optional.of(size), Optional.empty(), 0, 1, DeviceKind.ACCELERATOR, Optional.empty(), List.of());
    }

    /** One all_to_all_v of all accelerators, with the sizes of a file. */
    public static Settings ofPairs(Path file) {
      return new Settings(
          CollectiveOp.ALL_TO_ALL_V, Optional.empty(), Optional.of(file), 0, 1, DeviceKind.ACCELERATOR,
          Optional.empty(),
          List.of());
    }

    /** The same collectives, several times one after the other. */
    public Settings repeats(int times) {
      return new Settings(op, size, pairs, root, times, participants, ranks, groups);
    }

    /** The same on the first ranks only. */
    public Settings ranks(int count) {
      return new Settings(op, size, pairs, root, repeats, participants, Optional.of(count), groups);
    }

    /** The same collectives in concurrent groups. */
    public Settings groups(List<List<Integer>> value) {
      return new Settings(op, size, pairs, root, repeats, participants, ranks, value);
    }
  }

  @Override
  public Workload create(Settings settings) {
    checkSizes(settings);
    for (int i = 0; i < settings.groups().size(); i++) {
      group(settings.groups().get(i), i);
    }
    return new Collectives(settings,
        settings.pairs().map(file -> PairFile.read(file, message -> new InvalidSettingException("pairs", message))));
  }

  /** An all_to_all_v of accelerators in concurrent groups, with sizes given by value instead of a file. */
  public static Workload allToAllV(Collective exchange, List<List<Integer>> groups) {
    return new Collectives(
        new Settings(
            exchange.op(), Optional.empty(), Optional.empty(), 0, 1, DeviceKind.ACCELERATOR, Optional.empty(), groups),
        Optional.of(exchange));
  }

  private static void checkSizes(Settings settings) {
    if ((settings.op() == CollectiveOp.ALL_TO_ALL_V) != settings.pairs().isPresent()) {
      throw new InvalidSettingException("pairs", settings.pairs().isPresent()
          ? settings.op().key() + " has one size; only all_to_all_v has a size per pair"
          : "is missing; all_to_all_v has a size per pair, and all_to_all one size");
    }
    if (settings.size().isPresent() == settings.pairs().isPresent()) {
      throw new InvalidSettingException("size", settings.size().isPresent()
          ? settings.size().get() + "; but pairs says the sizes" : "is missing; such as 1 MiB");
    }
    if (settings.root() != 0 && !settings.op().rooted()) {
      throw new InvalidSettingException(
          "root", "'" + settings.root() + "' has no meaning; " + settings.op().key() + " has no root");
    }
  }

  private static Group group(List<Integer> members, int number) {
    try {
      return Group.of(members.stream().mapToInt(Integer::intValue).toArray());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("groups", "group " + number + ": " + e.getMessage());
    }
  }

  private record Collectives(Settings settings, Optional<Collective> exchange) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = ranks(cluster);
      return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster))
          .withAllToAllVSizes(allToAllVSizes(cluster));
    }

    private int[] ranks(Cluster cluster) {
      int[] present = cluster.terminals(settings.participants());
      int count = settings.ranks().orElse(present.length);
      if (count < 1 || count > present.length) {
        throw new InvalidSettingException("ranks", count + " ranks; the cluster has " + present.length
            + " terminals of the kind " + settings.participants().key());
      }
      for (int i = 0; i < settings.groups().size(); i++) {
        for (int member : settings.groups().get(i)) {
          if (member >= count) {
            throw new InvalidSettingException(
                "groups", "group " + i + " has the rank " + member + "; ranks are 0 to " + (count - 1));
          }
        }
      }
      int smallest = groups(count).stream().mapToInt(Group::size).min().orElse(count);
      if (settings.op().rooted() && settings.root() >= smallest) {
        throw new InvalidSettingException("root", settings.root() + "; a group has the ranks 0 to " + (smallest - 1));
      }
      exchange.ifPresent(each -> requireRanks(each, count));
      return Arrays.copyOf(present, count);
    }

    private void requireRanks(Collective each, int count) {
      for (Group group : groups(count)) {
        if (group.size() != each.ranks()) {
          throw new InvalidSettingException("pairs", "has sizes for " + each.ranks() + " ranks, but " + group.size()
              + " take part; 'ranks: " + each.ranks() + "' takes the first");
        }
      }
    }

    private List<Collective> allToAllVSizes(Cluster cluster) {
      return exchange.stream().toList();
    }

    private List<Group> groups(int[] terminals, Cluster cluster) {
      return groups(terminals.length);
    }

    private List<Group> groups(int ranks) {
      if (settings.groups().isEmpty()) {
        return List.of(Group.ofFirst(ranks));
      }
      return IntStream.range(0, settings.groups().size()).mapToObj(i -> group(settings.groups().get(i), i)).toList();
    }

    private Program program(int rank, WorkloadContext context) {
      if (settings.groups().isEmpty()) {
        return new Repeated(settings, bytes(), new int[] {0});
      }
      List<Integer> own = new ArrayList<>();
      List<Group> groups = groups(context.ranks());
      for (int number = 0; number < groups.size(); number++) {
        if (IntStream.of(groups.get(number).members()).anyMatch(member -> member == rank)) {
          own.add(number);
        }
      }
      return new Repeated(settings, bytes(), own.stream().mapToInt(Integer::intValue).toArray());
    }

    private long bytes() {
      return exchange.map(Collective::bytes).orElseGet(() -> settings.size().orElseThrow().bytes());
    }
  }

  /** A stream per group. */
  private static final class Repeated implements Program {
    private final Settings settings;
    private final long bytes;
    private final int[] groups;
    private final int[] done;

    Repeated(Settings settings, long bytes, int[] groups) {
      this.settings = settings;
      this.bytes = bytes;
      this.groups = groups;
      done = new int[groups.length];
    }

    @Override
    public int streams() {
      return groups.length;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (done[stream] == settings.repeats()) {
        return false;
      }
      done[stream]++;
      if (settings.op() == CollectiveOp.ALL_TO_ALL_V) {
        operation.allToAllV(groups[stream], 0, bytes);
      } else {
        operation.collective(groups[stream], settings.op(), bytes, settings.root());
      }
      return true;
    }
  }
}
