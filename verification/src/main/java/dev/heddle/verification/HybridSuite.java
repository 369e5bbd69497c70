package dev.heddle.verification;

import dev.heddle.results.Results;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.Fidelity;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Comparison of runs at hybrid fidelity, with packets between nodes and flows within, with runs of the same scenarios
 * at packet fidelity.
 */
public final class HybridSuite implements PacketComparison<HybridSuite.Comparison> {
  /** Bound on the mean error of the time of a run in percent. */
  static final double BOUND = 5;

  private static final String HYBRID = "hybrid";

  /**
   * One scenario, run at three fidelities.
   *
   * @param row times at packet and at hybrid fidelity
   * @param eventShare events at hybrid fidelity, as a share of those at packet fidelity
   * @param flowError error of the time at flow fidelity, absolute, in percent
   */
  record Comparison(Row row, double eventShare, double flowError) implements Compared {}

  @Override
  public String id() {
    return HYBRID;
  }

  @Override
  public double bound() {
    return BOUND;
  }

  @Override
  public String description() {
    return "Packets between nodes and flows within them: times against those of runs of every packet";
  }

  // A file of the user's own may choose its packets; the others have the default.
  @Override
  public Map<String, String> changes(ScenarioFile file) {
    boolean chooses = file.points().get(0).scenario().fidelity().id().equals(HYBRID);
    return chooses ? Map.of() : Map.of("fidelity", HYBRID);
  }

  @Override
  public Comparison compare(ScenarioFile.Point own, Scenario scenario) {
    Results packets = scenario.simulation().at(Fidelity.PACKET).run();
    Results mixed = scenario.simulation().run();
    Results flows = scenario.simulation().at(Fidelity.FLOW).run();
    double eventShare = (double) mixed.run().events() / packets.run().events();
    double flowError = 100.0 * (flows.run().simulatedPs() - packets.run().simulatedPs()) / packets.run().simulatedPs();
    String label = String.join(", ", own.parameters().values()) + String.format(
        Locale.ROOT, " (%.0f %% of the events; flow %+.1f %%)", 100 * eventShare, flowError);
    Row row = new Row(
        label, OptionalLong.empty(), packets.run().simulatedPs() / US, mixed.run().simulatedPs() / US);
    return new Comparison(row, eventShare, Math.abs(flowError));
  }

  @Override
  public String summary(List<Comparison> all) {
    double[] shares = all.stream().mapToDouble(Comparison::eventShare).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "Scenarios: %d. Mean error of hybrid fidelity %.2f %%, largest %.1f %%; of flow fidelity %.2f and %.1f %%."
            + " Events at hybrid fidelity, as a share of those at packet fidelity: median %.0f %%, least %.0f %%, most"
            + " %.0f %%.",
        all.size(), all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).average().orElse(0),
        all.stream().mapToDouble(each -> Math.abs(each.row().errorPct())).max().orElse(0),
        all.stream().mapToDouble(Comparison::flowError).average().orElse(0),
        all.stream().mapToDouble(Comparison::flowError).max().orElse(0),
        100 * shares[shares.length / 2], 100 * shares[0], 100 * Arrays.stream(shares).max().orElse(0));
  }
}
