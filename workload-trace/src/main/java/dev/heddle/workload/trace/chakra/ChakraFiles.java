package dev.heddle.workload.trace.chakra;

import dev.heddle.collective.Group;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.GraphBuilder.CollectivePart;
import dev.heddle.workload.trace.graph.GraphWorkload;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import dev.heddle.workload.trace.graph.WaitCircle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;

/** The files of a workload, and whether they fit together. */
final class ChakraFiles {
  private static final String RANK = "{rank}";

  private final ChakraWorkloadProvider.Settings settings;
  private final boolean one;
  private final int ranks;

  ChakraFiles(ChakraWorkloadProvider.Settings settings) {
    this.settings = settings;
    one = !settings.file().toString().contains(RANK);
    if (one && settings.ranks().isEmpty()) {
      throw new InvalidSettingException("ranks", "is missing; the file " + settings.file()
          + " stands for all ranks, as it does not have " + RANK + " in its name");
    }
    ranks = settings.ranks().orElseGet(this::count);
    if (ranks < 1 || ranks > Messages.MOST_RANKS) {
      throw new InvalidSettingException("ranks", ranks + " ranks; 1 to " + Messages.MOST_RANKS + " are possible");
    }
    long product = 1;
    for (int size : settings.dimensions()) {
      product = Math.min(product * size, Integer.MAX_VALUE);
    }
    if (!settings.dimensions().isEmpty() && product != ranks) {
      throw new InvalidSettingException("dimensions", settings.dimensions() + " holds " + product
          + " ranks, but there are " + ranks);
    }
  }

  private int count() {
    int count = 0;
    while (Files.exists(file(count))) {
      count++;
    }
    if (count == 0) {
      throw new TraceException(file(0) + ": there is no such file");
    }
    return count;
  }

  private Path file(int rank) {
    return Path.of(settings.file().toString().replace(RANK, Integer.toString(rank)));
  }

  /** The workload. */
  GraphWorkload read() {
    GroupTable groups = new GroupTable(ranks, settings.dimensions());
    settings.groups().ifPresent(file -> TraceFile.read(file, (name, in) -> {
      groups.addFile(name, in);
      return name;
    }));
    Messages messages = new Messages();
    ChakraReader reader = new ChakraReader(settings, groups, messages, ranks);
    List<OperationGraph> graphs = new ArrayList<>();
    List<List<CollectivePart>> parts = new ArrayList<>();
    List<IntFunction<String>> places = new ArrayList<>();
    int files = one ? 1 : ranks;
    for (int rank = 0; rank < files; rank++) {
      int self = rank;
      ChakraReader.RankTrace trace = TraceFile.read(file(rank), (name, in) -> reader.read(self, name, in));
      graphs.add(trace.graph());
      parts.add(parts(trace.builder()));
      places.add(trace.place());
    }
    try {
      messages.check();
    } catch (TraceException e) {
      throw new TraceException(settings.file() + ": " + e.getMessage());
    }
    if (one) {
      requireEveryone(groups.groups());
      return new GraphWorkload(Collections.nCopies(ranks, graphs.get(0)), groups.groups(), settings.participants());
    }
    compare(groups.groups(), parts);
    WaitCircle.refuse(graphs, groups.groups(), (rank, operation) -> places.get(rank).apply(operation));
    return new GraphWorkload(graphs, groups.groups(), settings.participants());
  }

  private void requireEveryone(List<Group> groups) {
    if (groups.stream().anyMatch(group -> group.size() < ranks)) {
      throw new TraceException(settings.file() + ": has collectives of some ranks, so it cannot stand for all");
    }
  }

  private static List<CollectivePart> parts(GraphBuilder builder) {
    List<CollectivePart> parts = new ArrayList<>();
    for (int collective : builder.collectives()) {
      parts.add(builder.part(collective));
    }
    return parts;
  }

  // Members of a group must do the same collectives in the same order.
  private void compare(List<Group> groups, List<List<CollectivePart>> parts) {
    for (int number = 0; number < groups.size(); number++) {
      int of = number;
      Group group = groups.get(number);
      int first = group.member(0);
      List<CollectivePart> expected = parts.get(first).stream().filter(part -> part.group() == of).toList();
      for (int member : group.members()) {
        List<CollectivePart> own = parts.get(member).stream().filter(part -> part.group() == of).toList();
        for (int i = 0; i < Math.max(own.size(), expected.size()); i++) {
          if (i >= own.size() || i >= expected.size() || !own.get(i).equals(expected.get(i))) {
            throw new TraceException(file(member) + ": collective " + (i + 1) + " of the group " + group + " is "
                + (i < own.size() ? own.get(i) : "missing") + ", but that of rank " + first + " is "
                + (i < expected.size() ? expected.get(i) : "missing"));
          }
        }
      }
    }
  }
}
