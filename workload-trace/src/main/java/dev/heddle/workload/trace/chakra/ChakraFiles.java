package dev.heddle.workload.trace.chakra;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.trace.graph.GraphWorkload;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.TraceFile;

/** The files of a workload of Chakra traces, its groups and its dimensions. */
final class ChakraFiles {
  private final ChakraWorkloadProvider.Settings settings;
  private final RankFiles files;

  ChakraFiles(ChakraWorkloadProvider.Settings settings) {
    this.settings = settings;
    files = new RankFiles(settings.file(), settings.ranks());
    long product = 1;
    for (int size : settings.dimensions()) {
      product = Math.min(product * size, Integer.MAX_VALUE);
    }
    if (!settings.dimensions().isEmpty() && product != files.ranks()) {
      throw new InvalidSettingException("dimensions", settings.dimensions() + " holds " + product
          + " ranks, but there are " + files.ranks());
    }
  }

  /** The workload. */
  GraphWorkload read() {
    GroupTable groups = new GroupTable(files.ranks(), settings.dimensions());
    settings.groups().ifPresent(file -> TraceFile.read(file, (name, in) -> {
      groups.addFile(name, in);
      return name;
    }));
    Messages messages = new Messages();
    ChakraReader reader = new ChakraReader(settings, groups, messages, files.ranks());
    return files.read(reader::read, messages, groups, settings.participants());
  }
}
