package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs the commands of {@code docs/tutorial.md}, and compares their output with that of the page. */
class TutorialTest {
  private static final Path ROOT = Reactor.read().root();
  private static final Pattern STEP = Pattern.compile("```sh\\n\\./heddle (.*)\\n```\\n\\n```text\\n((?s:.*?))```");
  private static final Pattern WORD = Pattern.compile("((?:[^\\s']|'[^']*')+)");

  @TempDir
  private Path folder;

  /** A command of the page with the output that the page shows. */
  private record Step(String command, String output) {
    @Override
    public String toString() {
      return command;
    }
  }

  static List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(Reactor.text(ROOT.resolve("docs/tutorial.md")));
    while (matcher.find()) {
      steps.add(new Step(matcher.group(1), matcher.group(2)));
    }
    assertThat(steps).hasSizeGreaterThan(4);
    return steps;
  }

  @ParameterizedTest
  @MethodSource("steps")
  void shouldPrintTheLinesOfThePageInTheirOrder(Step step) throws Exception {
    String said = run(step.command());
    int from = 0;
    for (String part : step.output().split("\\.\\.\\.", -1)) {
      int found = said.indexOf(part.strip(), from);
      assertThat(found).as("'%s' in the output of heddle %s:%n%s", part.strip(), step.command(), said)
          .isNotNegative();
      from = found + part.strip().length();
    }
  }

  private String run(String line) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), "dev.heddle.cli.Main"));
    WORD.matcher(line).results().map(word -> word.group().replace("'", ""))
        .map(word -> word.startsWith("results/") ? folder.resolve(word).toString() : word).forEach(command::add);
    Path output = folder.resolve("output");
    new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).redirectOutput(output.toFile())
        .start().waitFor();
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
