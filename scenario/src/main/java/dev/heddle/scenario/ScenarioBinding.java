package dev.heddle.scenario;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.network.LinkNames;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.scenario.ScenarioSettings.TierSettings;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.SimTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Binds one point: records and products first, then whether tiers, fabric and workload fit together. */
final class ScenarioBinding {
  /** The most terminals of one fabric. */
  static final int MAX_TERMINALS = 4_000_000;

  private final Binder binder;
  private final Node root;
  private final long mostTerminals;

  private ScenarioBinding(Binder binder, Node root, long mostTerminals) {
    this.binder = binder;
    this.mostTerminals = mostTerminals;
    this.root = root;
  }

  /**
   * A bound point.
   *
   * @param scenario bound
   * @param settings from which it was made
   * @param inputs files that its settings name, in the order of the settings
   */
  record Bound(Scenario scenario, ScenarioSettings settings, List<Path> inputs) {}

  /**
   * Binds and checks.
   *
   * @throws ScenarioException with all that is wrong
   */
  static Bound bind(Binder binder, Node root, long mostTerminals) {
    return new ScenarioBinding(binder, root, mostTerminals).bind();
  }

  private Bound bind() {
    ScenarioSettings settings = binder.record(ScenarioSettings.class, root, "");
    if (settings != null) {
      check(settings);
    }
    if (settings == null || !binder.problems().isEmpty()) {
      throw new ScenarioException(binder.problems());
    }
    List<Tier> tiers = settings.cluster().tiers().stream()
        .map(tier -> new Tier(
            tier.name(), tier.size(), tier.terminals(), tier.nic(), tier.topology(), tier.accelerator(), tier.cpu()))
        .toList();
    Scenario scenario = new Scenario(
        settings.name(), settings.description(), settings.seed(), settings.fidelity(), settings.run(), tiers,
        settings.cluster().faults(), binder.classes().ofTransport()
            .<Workload>map(number -> new ClassedWorkload(settings.workload(), number)).orElse(settings.workload()),
        new LocatedAlgorithm(
            settings.collectives(), "collectives", mapping("collectives")),
        settings.transport());
    fit(scenario);
    return new Bound(scenario, settings, binder.inputs());
  }

  private void check(ScenarioSettings settings) {
    if (!settings.name().matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")) {
      problem("name", "'" + settings.name() + "' cannot name a folder; use up to 100 letters, digits, '.', '_', '-'");
    }
    SimulationOptions run = settings.run();
    if (run.measure().isPresent() && run.measure().get().ps() == 0) {
      problem("run.measure", "the measured window must be longer than 0 s");
    }
    List<TierSettings> tiers = settings.cluster().tiers();
    if (tiers.isEmpty()) {
      problem("cluster.tiers", "a cluster needs at least one tier");
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < tiers.size(); i++) {
      checkTier(tiers, i);
      if (names.contains(tiers.get(i).name())) {
        problem("cluster.tiers[" + i + "].name", "two tiers are called '" + tiers.get(i).name() + "'");
      }
      names.add(tiers.get(i).name());
    }
    checkSize(tiers);
  }

  private void checkTier(List<TierSettings> tiers, int i) {
    TierSettings tier = tiers.get(i);
    String path = "cluster.tiers[" + i + "]";
    if (i == 0) {
      if (tier.terminals().isEmpty()) {
        problem(path + ".terminals", "is missing; the innermost tier needs devices, such as {accelerator: 8, nic: 1}");
      }
      if (tier.size() != 1) {
        problem(path + ".size",
            "'" + tier.size() + "' is not allowed; the innermost tier joins no other, its size is 1");
      }
      if (tiers.size() > 1 && !tier.terminals().containsKey(DeviceKind.NIC)) {
        problem(path + ".terminals", "has no nic, but the tier '" + tiers.get(1).name() + "' joins instances of '"
            + tier.name() + "' by their NICs");
      }
    } else if (!tier.terminals().isEmpty()) {
      problem(path + ".terminals", "only the innermost tier has terminals; this one joins instances of '"
          + tiers.get(i - 1).name() + "'");
    }
    checkHardware(tier, path, i == 0);
    if (i == 0 && tiers.size() > 1 && tier.nic().isEmpty()) {
      problem(path + ".nic", "is missing; say how a NIC forwards to the tier '" + tiers.get(1).name()
          + "', such as {type: generic, switching: whole-unit, latency: 100 ns}");
    }
  }

  private void checkHardware(TierSettings tier, String path, boolean innermost) {
    Map<String, DeviceKind> described = new LinkedHashMap<>();
    tier.accelerator().ifPresent(given -> described.put("accelerator", DeviceKind.ACCELERATOR));
    tier.cpu().ifPresent(given -> described.put("cpu", DeviceKind.CPU));
    described.forEach((key, kind) -> {
      if (!innermost) {
        problem(path + "." + key, "only the innermost tier has devices to describe");
      } else if (!tier.terminals().containsKey(kind)) {
        problem(path + "." + key, "describes devices that the tier does not have; its terminals are "
            + tier.terminals().keySet().stream().map(DeviceKind::key).toList());
      }
    });
  }

  private void checkSize(List<TierSettings> tiers) {
    if (tiers.isEmpty()) {
      return;
    }
    double terminals = tiers.get(0).terminals().values().stream().mapToDouble(count -> count).sum();
    for (TierSettings tier : tiers.subList(1, tiers.size())) {
      terminals *= tier.size();
    }
    if (terminals > mostTerminals) {
      problem("cluster.tiers", "the cluster would have " + Math.round(terminals) + " terminals; at most "
          + mostTerminals + " are possible");
    }
  }

  private void fit(Scenario scenario) {
    Fabric fabric;
    try {
      fabric = scenario.fabric();
    } catch (InvalidSettingException e) {
      problem("cluster." + e.component(), String.valueOf(e.getMessage()));
      throw new ScenarioException(binder.problems());
    } catch (IllegalStateException | IllegalArgumentException | ArithmeticException e) {
      problem("cluster.tiers", "the tiers do not fit together: " + e.getMessage());
      throw new ScenarioException(binder.problems());
    }
    List<Problem> classes = binder.classes().problems(fabric);
    if (!classes.isEmpty()) {
      throw new ScenarioException(classes);
    }
    try {
      scenario.fidelity().requireFits(fabric);
    } catch (InvalidSettingException e) {
      throw new ScenarioException(List.of(Binder.invalid(e, mapping("fidelity"), "fidelity")));
    }
    try {
      WorkloadPlan plan = scenario.workload().plan(fabric);
      int[] ranks = plan.ranks();
      checkReachable(fabric, ranks);
      checkRecorded(scenario.options(), fabric, ranks.length);
      if (ranks.length > 0) {
        SimTime end = scenario.options().measure().orElse(SimTime.ZERO);
        plan.program(0, new WorkloadContext(fabric, ranks, scenario.seed(), end));
      }
    } catch (InvalidSettingException e) {
      throw new ScenarioException(List.of(Binder.invalid(e, mapping("workload"), "workload")));
    }
  }

  private void checkRecorded(SimulationOptions run, Fabric fabric, int ranks) {
    for (int i = 0; i < run.trace().size(); i++) {
      String path = "run.trace[" + i + "]";
      SimulationOptions.refusedTrace(run.trace().get(i), ranks).ifPresent(reason -> problem(path, reason));
    }
    Set<String> links = run.linkSeries().isEmpty() ? Set.of() : LinkNames.of(fabric).keySet();
    for (int i = 0; i < run.linkSeries().size(); i++) {
      String name = run.linkSeries().get(i);
      if (!links.contains(name.strip())) {
        problem("run.link-series[" + i + "]", LinkNames.unknown(name, links));
      }
    }
    if (!binder.problems().isEmpty()) {
      throw new ScenarioException(binder.problems());
    }
  }

  // A NIC that is cut off passes its traffic to another of its node, but takes no part itself.
  private static void checkReachable(Fabric fabric, int[] ranks) {
    for (int rank = 0; rank < ranks.length; rank++) {
      if (fabric.isDown(ranks[rank])) {
        throw new InvalidSettingException("", "rank " + rank + " is " + fabric.name(ranks[rank])
            + ", which cluster.faults takes down");
      }
    }
  }

  private void problem(String path, String message) {
    binder.add(node(path).orElse(root), path, message);
  }

  // The mapping at a path; one without keys where an id alone was written.
  private Mapping mapping(String path) {
    Node node = node(path).orElse(root);
    return node instanceof Mapping mapping ? mapping : new Mapping(node.origin(), Map.of());
  }

  private Optional<Node> node(String path) {
    @Nullable
    Node at = root;
    for (String step : FieldPath.parse(path).steps()) {
      if (at instanceof Mapping mapping) {
        at = mapping.entries().get(step);
      } else if (at instanceof Node.Sequence sequence) {
        at = sequence.items().get(Integer.parseInt(step));
      } else {
        return Optional.empty();
      }
    }
    return Optional.ofNullable(at);
  }
}
