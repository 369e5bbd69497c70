package dev.heddle.bench.track;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Questions to the version control of a folder. */
final class Git {
  private final Path folder;

  Git(Path folder) {
    this.folder = folder;
  }

  /** The full hash of a commit; empty where the folder has no such commit, or is under no version control. */
  Optional<String> commit(String name) {
    Child child = call("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}");
    return child.code() == 0 ? Optional.of(child.out().strip()) : Optional.empty();
  }

  /** The date of a commit in UTC, as {@code 2026-11-23T16:00:00Z}; empty for one that is not known. */
  String date(String commit) {
    Child child = Child.run(
        List.of("git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", commit), folder,
        Map.of("TZ", "UTC"));
    return child.code() == 0 ? child.out().strip() : "";
  }

  /** Whether tracked files differ from the commit. */
  boolean changed() {
    return !call("status", "--porcelain", "--untracked-files=no").out().isBlank();
  }

  Child call(String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    return Child.run(command, folder, Map.of());
  }
}
