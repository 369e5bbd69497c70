package dev.heddle.bench.track;

import com.google.common.collect.ImmutableList;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A built checkout.
 *
 * @param folder root of the checkout
 * @param commit full hash of its commit; empty where it is under no version control
 * @param extra jars and folders of other benchmarks, which come first on the class path
 */
record Build(Path folder, String commit, List<Path> extra) {
  Build {
    extra = ImmutableList.copyOf(extra);
  }

  /**
   * A checkout whose module bench is built.
   *
   * @param folder the checkout, or its {@code bench/target}
   * @param extra jars and folders of other benchmarks
   * @throws TrackException when it is none, or a jar is missing
   */
  static Build of(Path folder, List<Path> extra) {
    Path given = folder.toAbsolutePath().normalize();
    Path root = given.endsWith(Path.of("bench", "target")) ? given.resolve("../..").normalize() : given;
    for (String part : List.of("bench/target/classes", "bench/target/lib")) {
      if (!Files.isDirectory(root.resolve(part))) {
        throw new TrackException(folder + ": is no checkout with a built module bench: there is no "
            + part + "; there, run: mvn -q -DskipTests package -pl bench -am");
      }
    }
    List<Path> absolute = new ArrayList<>();
    for (Path path : extra) {
      if (!Files.exists(path)) {
        throw new TrackException(path + ": there is no such jar or folder of benchmarks");
      }
      absolute.add(path.toAbsolutePath().normalize());
    }
    return new Build(root, new Git(root).commit("HEAD").orElse(""), absolute);
  }

  /** The class path of its benchmarks, followed by more entries. */
  String classPath(List<Path> more) {
    List<String> entries = new ArrayList<>();
    extra.forEach(path -> entries.add(path.toString()));
    entries.add(folder.resolve("bench/target/classes").toString());
    entries.add(folder.resolve("bench/target/lib").resolve("*").toString());
    more.forEach(path -> entries.add(path.toString()));
    return entries.stream().collect(Collectors.joining(File.pathSeparator));
  }

  /** The script that starts its command line. */
  Path launcher() {
    return folder.resolve("heddle");
  }

  boolean isSame(Build other) {
    return folder.equals(other.folder) && extra.equals(other.extra);
  }
}
