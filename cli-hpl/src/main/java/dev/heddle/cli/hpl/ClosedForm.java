package dev.heddle.cli.hpl;

import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplSystem;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;

/** A closed form of HPL's time. */
enum ClosedForm {
  /** The original closed form: one layer, leading terms. */
  ORIGINAL((system, problem) -> system.original(problem).seconds()),
  /** The layered closed form with one layer. */
  SINGLE((system, problem) -> system.singleLayer(problem).seconds()),
  /** The layered closed form. */
  LAYERED((system, problem) -> system.layered(problem).seconds());

  private final ToDoubleBiFunction<HplSystem, HplProblem> seconds;

  ClosedForm(ToDoubleBiFunction<HplSystem, HplProblem> seconds) {
    this.seconds = seconds;
  }

  /** Names on the command line. */
  static List<String> keys() {
    return Arrays.stream(values()).map(ClosedForm::key).toList();
  }

  /** The closed form of a name, where there is one. */
  static Optional<ClosedForm> of(String key) {
    return Arrays.stream(values()).filter(each -> each.key().equals(key)).findFirst();
  }

  private String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  double seconds(HplSystem system, HplProblem problem) {
    return seconds.applyAsDouble(system, problem);
  }
}
