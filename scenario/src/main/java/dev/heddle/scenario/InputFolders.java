package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The folders that the files which scenarios name must lie in. A file is then named by its path within one of them;
 * absolute paths, and paths that leave the folder, also by a symbolic link, are refused.
 *
 * @param folders in the order of the search; absent: every file may be named
 */
public record InputFolders(Optional<List<Path>> folders) {
  /** The system property that holds the folders of a process as a path list; empty: no file may be named. */
  public static final String PROPERTY = "heddle.inputs";

  private static final String RANK = "{rank}";

  /** Copies the list. */
  public InputFolders {
    folders = folders.map(ImmutableList::copyOf);
  }

  /** Folders that are the only ones. */
  public static InputFolders of(List<Path> folders) {
    return new InputFolders(Optional.of(folders));
  }

  /** The folders of this process: those of the property {@link #PROPERTY}; without it, every file may be named. */
  public static InputFolders standard() {
    String paths = System.getProperty(PROPERTY);
    return paths == null ? new InputFolders(Optional.empty()) : of(
        List.of(paths.split(File.pathSeparator, -1)).stream().filter(path -> !path.isEmpty()).map(Path::of).toList());
  }

  /** The folders as the value of {@link #PROPERTY}; empty where every file may be named. */
  public Optional<String> property() {
    return folders.map(list -> String.join(File.pathSeparator, list.stream().map(Path::toString).toList()));
  }

  /**
   * Finds a file.
   *
   * @param file as a scenario names it; {@code {rank}} stands for the numbers of ranks from 0
   * @param origin text that names it: a file, beside which it is looked for where every file may be named
   * @return its path
   * @throws IllegalArgumentException when it must not be named, or is in none of the folders
   */
  Path resolve(Path file, String origin) {
    if (folders.isEmpty()) {
      Path from = Path.of(origin);
      return Files.isRegularFile(from) ? from.resolveSibling(file) : file;
    }
    if (file.isAbsolute() || file.normalize().startsWith("..")) {
      throw new IllegalArgumentException("'" + file + "' leaves the folders whose files may be named here");
    }
    for (Path folder : folders.get()) {
      Path named = folder.resolve(file.normalize());
      if (within(folder, Path.of(named.toString().replace(RANK, "0")))) {
        return named;
      }
    }
    throw new IllegalArgumentException("'" + file + "' is no file of the folders whose files may be named here");
  }

  private static boolean within(Path folder, Path file) {
    try {
      return Files.isRegularFile(file) && file.toRealPath().startsWith(folder.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
