package dev.heddle.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Launches of scripts in place of Heddle. */
final class Launches {
  /** A launch that starts nothing. */
  static final TaskRunner.Launch NONE = new TaskRunner.Launch(List.of("none"), List.of(), Map.of(), 64);

  private Launches() {}

  /**
   * The launch of a script by a shell, which passes over the options of a virtual machine.
   *
   * @param folder for its files
   * @param script to run
   * @param environment of its processes
   */
  static TaskRunner.Launch shell(Path folder, Path script, Map<String, String> environment) throws IOException {
    Path java = Files.writeString(folder.resolve("java"),
        "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nexec /bin/sh \"$@\"\n");
    if (!java.toFile().setExecutable(true)) {
      throw new IOException(java + " cannot be made executable");
    }
    return new TaskRunner.Launch(List.of(java.toString(), script.toString()), List.of("-Xmx64m"), environment, 64);
  }
}
