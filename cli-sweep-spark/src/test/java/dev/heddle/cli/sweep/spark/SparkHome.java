package dev.heddle.cli.sweep.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Spark as the build copied it: its jars, with a program that does as {@code spark-submit} of its archives. */
final class SparkHome {
  private SparkHome() {}

  /** Writes the program into a folder, and returns its path. */
  static Path submit(Path folder) throws IOException {
    String home = System.getenv("SPARK_HOME");
    // Spark's launcher prints an empty line, then the words of the driver's command, each ended by a zero byte.
    Path script = Files.writeString(folder.resolve("spark-submit"), """
        #!/bin/bash
        export SPARK_HOME='%1$s' JAVA_HOME='%2$s' SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1
        mapfile -d '' -t words < <("$JAVA_HOME/bin/java" -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main \\
          org.apache.spark.deploy.SparkSubmit "$@")
        words=("${words[@]:1}")
        words[0]=${words[0]#$'\\n'}
        exec "${words[@]}"
        """.formatted(home, System.getProperty("java.home")));
    if (!script.toFile().setExecutable(true)) {
      throw new IOException(script + " cannot be made executable");
    }
    return script;
  }
}
