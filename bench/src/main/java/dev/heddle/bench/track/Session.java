package dev.heddle.bench.track;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One session of measurements: each case in all its rounds before the next, so that neighbours in time are of one case.
 */
final class Session {
  private final int rounds;
  private final BiFunction<Build, Case, Measurement> measure;
  private final Consumer<String> progress;

  /**
   * A session.
   *
   * @param rounds measurements of each case of each build
   * @param measure measures a case of a build once
   * @param progress takes a line per case
   */
  Session(int rounds, BiFunction<Build, Case, Measurement> measure, Consumer<String> progress) {
    this.rounds = rounds;
    this.measure = measure;
    this.progress = progress;
  }

  /**
   * The measurements by build.
   *
   * @param build of this build
   * @param baseline of the baseline; empty where there is none
   */
  record Outcome(List<Series> build, List<Series> baseline) {}

  /**
   * Measures cases, each in pairs with the baseline where that has it too.
   *
   * @param build to measure
   * @param cases of the build
   * @param baseline to measure in turn with it; null for none
   * @param known cases of the baseline
   */
  Outcome measure(Build build, List<Case> cases, @Nullable Build baseline, Set<Case> known) {
    List<Series> ours = new ArrayList<>();
    List<Series> theirs = new ArrayList<>();
    Set<Case> paired = new LinkedHashSet<>(known);
    for (int i = 0; i < cases.size(); i++) {
      Case each = cases.get(i);
      progress.accept(i + 1 + " of " + cases.size() + ": " + each.text());
      boolean pair = baseline != null && paired.contains(each);
      Map<Boolean, List<Measurement>> byBuild = new LinkedHashMap<>();
      for (int round = 0; round < rounds; round++) {
        boolean first = Rounds.baselineFirst(round);
        for (boolean isBaseline : new boolean[] {first, !first}) {
          Build measured = isBaseline ? baseline : build;
          if (measured != null && (!isBaseline || pair)) {
            byBuild.computeIfAbsent(isBaseline, any -> new ArrayList<>()).add(measure.apply(measured, each));
          }
        }
      }
      byBuild.forEach((isBaseline, measured) -> (isBaseline ? theirs : ours).add(Series.of(each, measured)));
    }
    return new Outcome(ours, theirs);
  }
}
