package dev.heddle.service;

import dev.heddle.cli.Program;
import dev.heddle.registry.Registry;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.InputFolders;
import dev.heddle.scenario.Problem;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.NearestMatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Checks questions before they are queued: the same reader as the command line's for scenarios, the same parser for
 * options. Whether a cluster of options can be planned, and a job fits it, is found out by the task's own process,
 * which has the limits for it.
 */
final class QuestionCheck {
  private static final int MOST_AT_ONCE = 2;
  private static final int MOST_OPTION_CHARACTERS = 20_000;

  private final Registry registry;
  private final Program program;
  private final InputFolders inputs;
  private final ServiceSettings.Limits limits;
  private final Semaphore places = new Semaphore(MOST_AT_ONCE);

  QuestionCheck(Registry registry, Program program, InputFolders inputs, ServiceSettings.Limits limits) {
    this.registry = registry;
    this.program = program;
    this.inputs = inputs;
    this.limits = limits;
  }

  /**
   * A question that can be queued.
   *
   * @param name for people
   * @param points of a sweep; 1 for other kinds
   * @param contents hash over the scenario and the contents of the files that it names; empty for other kinds
   */
  record Checked(String name, int points, String contents) {}

  /**
   * Checks a question.
   *
   * @throws RequestException with everything that is wrong
   */
  Checked check(Question question) {
    List<Fault> faults = new ArrayList<>();
    options(question, faults);
    if (!faults.isEmpty()) {
      throw new RequestException(RequestException.UNPROCESSABLE, faults);
    }
    program.refusal(TaskFolder.arguments(question)).ifPresent(message -> {
      throw new RequestException(RequestException.UNPROCESSABLE, FaultText.faults(message));
    });
    return question.kind().scenario() ? scenario(question) : new Checked(name(question), 1, "");
  }

  private void options(Question question, List<Fault> faults) {
    TaskKind kind = question.kind();
    int length = 0;
    for (Map.Entry<String, List<String>> option : question.options().entrySet()) {
      if (!kind.options().contains(option.getKey())) {
        faults.add(new Fault(option.getKey(), 0, "is no option of " + kind.key() + " here; there are "
            + String.join(", ", kind.options()) + NearestMatch.hint(option.getKey(), kind.options())));
      }
      length += option.getValue().stream().mapToInt(String::length).sum();
    }
    if (length > MOST_OPTION_CHARACTERS) {
      faults.add(new Fault("options", 0, "have " + length + " characters; at most " + MOST_OPTION_CHARACTERS
          + " are taken"));
    }
    requireText(question, faults);
    String preset = question.option("--cluster");
    if (!preset.isEmpty() && !question.cluster().isEmpty()) {
      faults.add(new Fault("cluster", 0, "and --cluster are two clusters; give one of them"));
    } else if (!preset.isEmpty()) {
      try {
        registry.preset(preset);
      } catch (RegistryException e) {
        faults.add(new Fault("--cluster", 0, String.valueOf(e.getMessage())));
      }
    }
  }

  private static void requireText(Question question, List<Fault> faults) {
    TaskKind kind = question.kind();
    if (kind.textFile().isEmpty() != question.text().isBlank()) {
      faults.add(new Fault("text", 0, kind.textFile().isEmpty()
          ? "is not taken by the kind " + kind.key() : "is missing: the contents of a " + kind.textFile()));
    }
    if (kind.scenario() && !question.cluster().isEmpty()) {
      faults.add(new Fault("cluster", 0, "is part of the scenario's text here"));
    }
    boolean tested = question.test().matches("[a-z_]{1,40}");
    if (kind == TaskKind.NCCL_TESTS ? !tested : !question.test().isEmpty()) {
      faults.add(new Fault("test", 0, kind == TaskKind.NCCL_TESTS
          ? "'" + question.test() + "' is no test of nccl-tests, such as all_reduce_perf"
          : "is not taken by the kind " + kind.key()));
    }
  }

  private Checked scenario(Question question) {
    Map<String, String> overrides = new LinkedHashMap<>();
    for (String each : question.options().getOrDefault("--set", List.of())) {
      int equals = each.indexOf('=');
      if (equals < 1) {
        throw new RequestException(RequestException.UNPROCESSABLE,
            List.of(new Fault("--set", 0, "'" + each + "' is no PATH=VALUE")));
      }
      overrides.put(each.substring(0, equals), each.substring(equals + 1));
    }
    places.acquireUninterruptibly();
    try {
      ScenarioReader reader = new ScenarioReader(registry, inputs, limits.terminals(), limits.points());
      ScenarioFile file = reader.parse(TaskKind.SCENARIO.textFile(), question.text(), overrides);
      if (file.swept() != (question.kind() == TaskKind.SWEEP)) {
        throw new RequestException(RequestException.UNPROCESSABLE, List.of(new Fault("kind", 0, file.swept()
            ? "the scenario has a sweep of " + file.points().size() + " points: the kind is sweep"
            : "the scenario has no sweep, or every axis is fixed by --set: the kind is scenario")));
      }
      return new Checked(file.name(), file.points().size(), file.hash());
    } catch (ScenarioException e) {
      throw new RequestException(
          RequestException.UNPROCESSABLE, e.problems().stream().map(QuestionCheck::fault).toList());
    } finally {
      places.release();
    }
  }

  private static Fault fault(Problem problem) {
    return new Fault(problem.path(), problem.line(), problem.message());
  }

  private static String name(Question question) {
    String cluster = question.cluster().isEmpty() ? question.option("--cluster") + question.option("--system")
        : "own cluster";
    String nodes = question.option("--nodes").isEmpty() ? "" : " x " + question.option("--nodes");
    String subject = switch (question.kind()) {
      case TRAIN, SEARCH -> question.kind().key() + " " + shortened(question.option("--model"));
      case NCCL_TESTS -> question.test();
      default -> question.kind().key();
    };
    return subject + " on " + shortened(cluster) + nodes;
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 39) + "\u2026";
  }
}
