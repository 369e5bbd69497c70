package dev.heddle.cli.hpl;

import dev.heddle.hpl.HplCase;
import dev.heddle.hpl.HplInput;
import dev.heddle.hpl.HplTime;
import dev.heddle.hpl.HplTime.LayerTime;
import dev.heddle.hpl.run.HplTerm;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * A comparison of the layered closed form with a run on the network, term by term. The closed form adds its terms up;
 * in a run they overlap, so a term of a run is the time that the run would save if its messages moved no bytes. The
 * rest is computation, and waiting for it.
 *
 * @param closed seconds of the closed form, by term
 * @param simulated seconds of the run, by term
 * @param closedTotal seconds of the closed form
 * @param simulatedTotal seconds of the run
 */
record Comparison(
    Map<HplTerm, Double> closed, Map<HplTerm, Double> simulated, double closedTotal, double simulatedTotal) {
  private static final Set<HplTerm> MOVED = EnumSet.of(HplTerm.PIVOT, HplTerm.BROADCAST, HplTerm.UPDATE);

  static Comparison of(Machine machine, HplCase one, HplInput.Options options) {
    HplTime time = machine.system().layered(one.problem());
    Map<HplTerm, Double> closed = new EnumMap<>(HplTerm.class);
    closed.put(HplTerm.CALCULATION, time.calculation());
    closed.put(HplTerm.PIVOT, sum(time, LayerTime::pivot));
    closed.put(HplTerm.BROADCAST, sum(time, LayerTime::broadcast));
    closed.put(HplTerm.UPDATE, sum(time, LayerTime::update));
    Simulated runs = machine.simulated();
    double whole = runs.seconds(one, options, Set.of());
    Map<HplTerm, Double> simulated = new EnumMap<>(HplTerm.class);
    simulated.put(HplTerm.CALCULATION, runs.seconds(one, options, MOVED));
    for (HplTerm term : MOVED) {
      simulated.put(term, Math.max(0, whole - runs.seconds(one, options, Set.of(term))));
    }
    return new Comparison(closed, simulated, time.seconds(), whole);
  }

  private static double sum(HplTime time, ToDoubleFunction<LayerTime> part) {
    return time.layers().stream().mapToDouble(part).sum();
  }

  /** The term with the largest difference. */
  HplTerm furthest() {
    HplTerm furthest = HplTerm.CALCULATION;
    for (HplTerm term : HplTerm.values()) {
      if (Math.abs(difference(term)) > Math.abs(difference(furthest))) {
        furthest = term;
      }
    }
    return furthest;
  }

  private double difference(HplTerm term) {
    return simulated.getOrDefault(term, 0.0) - closed.getOrDefault(term, 0.0);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    line(text, "term [s]", "closed form", "network", "difference");
    double parts = 0;
    for (HplTerm term : HplTerm.values()) {
      line(text, term.name().toLowerCase(Locale.ROOT), closed.getOrDefault(term, 0.0),
          simulated.getOrDefault(term, 0.0));
      parts += simulated.getOrDefault(term, 0.0);
    }
    line(text, "waiting", 0, simulatedTotal - parts);
    line(text, "all", closedTotal, simulatedTotal);
    HplTerm term = furthest();
    text.append(String.format(
        Locale.ROOT, "They part most in %s: the run on the network takes %.2f s %s.%n",
        term.name().toLowerCase(Locale.ROOT),
        Math.abs(difference(term)), difference(term) > 0 ? "more" : "less"));
    return text.toString();
  }

  private static void line(StringBuilder text, String name, double closed, double simulated) {
    line(
        text, name, String.format(Locale.ROOT, "%.2f", closed), String.format(Locale.ROOT, "%.2f", simulated),
        String.format(Locale.ROOT, "%+.2f", simulated - closed));
  }

  private static void line(StringBuilder text, String name, String closed, String simulated, String difference) {
    text.append(String.format(Locale.ROOT, "%-12s %12s %12s %12s%n", name, closed, simulated, difference));
  }
}
