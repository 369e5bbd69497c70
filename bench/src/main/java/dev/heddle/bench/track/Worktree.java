package dev.heddle.bench.track;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A temporary checkout of another commit, which is removed when it is closed, or when the program is interrupted. */
final class Worktree implements AutoCloseable {
  private final Git git;
  private final Path parent;
  private final Path folder;
  private final Thread hook = new Thread(this::remove, "worktree");

  private Worktree(Git git, Path parent) {
    this.git = git;
    this.parent = parent;
    this.folder = parent.resolve("baseline");
  }

  /**
   * Checks a commit out and builds its benchmarks.
   *
   * @throws TrackException when it cannot be checked out or built
   */
  static Worktree built(Path checkout, String commit) {
    Git git = new Git(checkout);
    Worktree worktree;
    try {
      worktree = new Worktree(git, Files.createTempDirectory("track"));
    } catch (IOException e) {
      throw new TrackException("no temporary folder can be made: " + e.getMessage());
    }
    Runtime.getRuntime().addShutdownHook(worktree.hook);
    Child added = git.call("worktree", "add", "--detach", worktree.folder.toString(), commit);
    if (added.code() != 0) {
      worktree.close();
      throw new TrackException(commit + ": cannot be checked out: " + added.complaint());
    }
    Child built = Child.run(
        List.of("mvn", "-B", "-q", "-Dmaven.test.skip=true", "-Dformatter.skip", "-Dimpsort.skip", "-P", "!errorprone",
            "package", "-pl", "bench", "-am"),
        worktree.folder, Map.of("JAVA_HOME", System.getProperty("java.home")));
    if (built.code() != 0) {
      worktree.close();
      throw new TrackException(commit + ": cannot be built: " + built.complaint());
    }
    return worktree;
  }

  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The program is ending, and the hook removes it.
      return;
    }
    remove();
  }

  private void remove() {
    git.call("worktree", "remove", "--force", folder.toString());
    try {
      Files.deleteIfExists(parent);
    } catch (IOException e) {
      throw new TrackException(parent + ": cannot be removed: " + e.getMessage());
    }
  }
}
