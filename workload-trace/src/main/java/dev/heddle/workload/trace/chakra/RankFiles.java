package dev.heddle.workload.trace.chakra;

import dev.heddle.collective.Group;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.GraphBuilder.CollectivePart;
import dev.heddle.workload.trace.graph.GraphWorkload;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import dev.heddle.workload.trace.graph.WaitCircle;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/** Files of a trace, one per rank or one for all, and whether they fit together. */
final class RankFiles {
  private static final String RANK = "{rank}";

  private final Path name;
  private final boolean one;
  private final int ranks;

  /** Reader of a rank's file. */
  @FunctionalInterface
  interface Reader {
    /** Reads; a fault is a {@link TraceException}. */
    ChakraReader.RankTrace read(int rank, String file, InputStream in);
  }

  /**
   * The files of a name.
   *
   * @param name in which {rank} stands for the number of the rank
   * @param stated number of ranks; without it, that of the files
   */
  RankFiles(Path name, Optional<Integer> stated) {
    this.name = name;
    one = !name.toString().contains(RANK);
    if (one && stated.isEmpty()) {
      throw new InvalidSettingException("ranks", "is missing; the file " + name
          + " stands for all ranks, as it does not have " + RANK + " in its name");
    }
    ranks = stated.orElseGet(this::count);
    if (ranks < 1 || ranks > Messages.MOST_RANKS) {
      throw new InvalidSettingException("ranks", ranks + " ranks; 1 to " + Messages.MOST_RANKS + " are possible");
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
    return Path.of(name.toString().replace(RANK, Integer.toString(rank)));
  }

  /** The number of ranks. */
  int ranks() {
    return ranks;
  }

  /**
   * Reads all files.
   *
   * @param reader of each
   * @param messages that the reader notes
   * @param groups that the reader fills
   * @param participants kind of the terminals that take part
   */
  GraphWorkload read(Reader reader, Messages messages, GroupTable groups, DeviceKind participants) {
    List<OperationGraph> graphs = new ArrayList<>();
    List<List<CollectivePart>> parts = new ArrayList<>();
    List<IntFunction<String>> places = new ArrayList<>();
    int files = one ? 1 : ranks;
    for (int rank = 0; rank < files; rank++) {
      int self = rank;
      ChakraReader.RankTrace trace = TraceFile.read(file(rank), (file, in) -> reader.read(self, file, in));
      graphs.add(trace.graph());
      parts.add(parts(trace.builder()));
      places.add(trace.place());
    }
    try {
      messages.check();
    } catch (TraceException e) {
      throw new TraceException(name + ": " + e.getMessage());
    }
    if (one) {
      requireEveryone(groups.groups());
      return new GraphWorkload(Collections.nCopies(ranks, graphs.get(0)), groups.groups(), participants);
    }
    compare(groups.groups(), parts);
    WaitCircle.refuse(graphs, groups.groups(), (rank, operation) -> places.get(rank).apply(operation));
    return new GraphWorkload(graphs, groups.groups(), participants);
  }

  private void requireEveryone(List<Group> groups) {
    if (groups.stream().anyMatch(group -> group.size() < ranks)) {
      throw new TraceException(name + ": has collectives of some ranks, so it cannot stand for all");
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
