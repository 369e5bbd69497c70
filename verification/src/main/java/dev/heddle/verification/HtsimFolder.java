package dev.heddle.verification;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A folder of htsim's results: the table, matrices and topology files lie in it, or as htsim has them in {@code
 * connection_matrices} and {@code topologies}; the table may lie beside the folder.
 */
record HtsimFolder(List<DataFolder> parts, DataFolder table) implements DataFolder {
  private static final String TABLE = ".csv";

  /** The folder of a user. */
  static DataFolder of(Path folder) {
    DataFolder own = DataFolder.of(folder);
    List<DataFolder> parts = new ArrayList<>(List.of(own));
    Stream.of("connection_matrices", "topologies").map(folder::resolve).filter(each -> each.toFile().isDirectory())
        .map(DataFolder::of).forEach(parts::add);
    Path parent = folder.toAbsolutePath().normalize().getParent();
    if (parent == null || parts.size() == 1 || !own.names(TABLE).isEmpty()) {
      return new HtsimFolder(List.copyOf(parts), own);
    }
    return new HtsimFolder(List.copyOf(parts), DataFolder.of(parent));
  }

  @Override
  public List<String> names(String ending) {
    return ending.equals(TABLE) ? table.names(ending)
        : parts.stream().flatMap(part -> part.names(ending).stream()).sorted().toList();
  }

  private DataFolder part(String name) {
    return name.endsWith(TABLE) ? table
        : parts.stream().filter(part -> part.file(name).isPresent()).findFirst().orElse(parts.get(0));
  }

  @Override
  public String text(String name) {
    return part(name).text(name);
  }

  @Override
  public String label(String name) {
    return part(name).label(name);
  }

  @Override
  public Optional<Path> file(String name) {
    return part(name).file(name);
  }
}
