package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Collectors;

/** A scenario that cannot be used, with everything that is wrong with it. */
public final class ScenarioException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ImmutableList<Problem> problems;

  /** Collects the problems, at least one. */
  public ScenarioException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).distinct().collect(Collectors.joining("\n")));
    this.problems = ImmutableList.copyOf(problems);
  }

  /** Everything that is wrong, in the order of the file. */
  public List<Problem> problems() {
    return problems;
  }
}
