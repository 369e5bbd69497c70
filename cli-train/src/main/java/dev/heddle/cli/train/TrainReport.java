package dev.heddle.cli.train;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.training.Bottleneck;
import dev.heddle.training.Estimate;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.KernelShares;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import dev.heddle.workload.megatron.program.MemoryUse;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * The output of {@code train}: the estimate beside the run.
 *
 * @param estimate of the iteration
 * @param shared whether stages share links, so that the estimate cannot know when they contend
 * @param run of all ranks; empty for none
 * @param tokens of the whole training; empty where its time is not asked for
 * @param bottlenecks of the estimate, the greatest first; empty where they are not asked for
 */
record TrainReport(
    Estimate estimate, boolean shared, Optional<Results> run, OptionalDouble tokens, List<Bottleneck> bottlenecks) {
  private static final double SECONDS_PER_DAY = 86_400;
  private static final double PS_PER_SECOND = 1e12;
  private static final double US_PER_SECOND = 1e6;
  /** Gain below which the table leaves a resource out: it would print as 0.0 %. */
  private static final double LEAST_GAIN = 5e-4;
  private static final String REPLAYS = "memoization.moved";
  private static final String REPLAY_ERROR = "memoization.error";

  /** The output as a table. */
  String text() {
    StringBuilder text = new StringBuilder(title());
    text.append(String.format(Locale.ROOT, "  %-46s %10s", "", "estimate"));
    run.ifPresent(results -> text.append(String.format(Locale.ROOT, " %10s", results.run().fidelity())));
    text.append(System.lineSeparator());
    for (Metric figure : iteration().figures(estimate.ps())) {
      line(text, figure.title() + ", " + figure.unit(), figure.value(), ran(figure.id()));
    }
    tokens.ifPresent(count -> line(text, "Time to train, days", days(count, estimate.ps()),
        run.map(results -> days(count, results.run().simulatedPs())).orElse(Double.NaN)));
    estimate.joules().ifPresent(joules -> text.append(String.format(Locale.ROOT, "  %-46s %10s%n",
        "Energy of the accelerators, kWh", Figures.significant(Figures.kilowattHours(joules)))));
    text.append(System.lineSeparator());
    for (Activity activity : Activity.values()) {
      double spent = ran(activity);
      if (estimate.seconds(activity) > 0 || spent > 0) {
        line(text, activity.title() + ", s", estimate.seconds(activity), spent);
      }
    }
    text.append(Figures.hostBound(estimate));
    limits(text);
    KernelShares kernels = iteration().kernelShares();
    text.append(System.lineSeparator()).append(String.format(Locale.ROOT,
        "Kernel times: %s; nine of ten times the iteration is within %.0f %% for their sake%n", kernels.text(),
        100 * kernels.relativeError() * computing()));
    run.flatMap(results -> results.metric(REPLAYS)).filter(moved -> moved.value() > 0).ifPresent(
        moved -> text.append(String.format(Locale.ROOT,
            "Collectives and messages replayed from others' records: %.0f; times may be off by %.3g us for their"
                + " sake%n",
            moved.value(), ran(REPLAY_ERROR))));
    if (shared) {
      text.append(String.format(Locale.ROOT,
          "Pipeline stages share links of nodes: how much of their communication coincides, a run says%n"));
    }
    text.append(Figures.leftOut(iteration().training()));
    int fullest = iteration().fullestStage();
    return text.append(System.lineSeparator()).append("Memory of an accelerator of stage ").append(fullest).append(": ")
        .append(iteration().memory(fullest)).append("; it has ").append(iteration().accelerator().memory())
        .append(System.lineSeparator()).toString();
  }

  private void limits(StringBuilder text) {
    if (bottlenecks.isEmpty()) {
      return;
    }
    text.append(
        String.format(Locale.ROOT, "%n  %-46s %10s %10s%n", "One resource twice as fast", "estimate", "shorter"));
    for (Bottleneck each : bottlenecks) {
      if (each.gain() < LEAST_GAIN) {
        break;
      }
      text.append(String.format(Locale.ROOT, "  %-46s %10s %8.1f %%%n", each.resource().title() + ", s",
          Figures.number(each.seconds()), 100 * each.gain()));
    }
  }

  // Share of the iteration that kernels take.
  private double computing() {
    return (estimate.seconds(Activity.COMPUTE) + estimate.seconds(Activity.RECOMPUTE)) / estimate.seconds();
  }

  private double days(double count, long ps) {
    return count / iteration().tokensPerSecond(ps / PS_PER_SECOND) / SECONDS_PER_DAY;
  }

  private String title() {
    Training training = iteration().training();
    return String.format(Locale.ROOT,
        "%s, %.1f billion parameters, on %d x %s: tp %d x pp %d x cp %d x dp %d, %d micro-batches%n%n",
        training.model().name(), training.model().parameters() / 1e9, iteration().grid().ranks(),
        iteration().accelerator().name(), training.parallel().tensor(), training.parallel().pipeline(),
        training.parallel().context(), iteration().grid().data(), iteration().micros());
  }

  private static void line(StringBuilder text, String what, double estimate, double run) {
    text.append(String.format(Locale.ROOT, "  %-46s %10s", what, Figures.number(estimate)));
    if (!Double.isNaN(run)) {
      text.append(String.format(Locale.ROOT, " %10s", Figures.number(run)));
    }
    text.append(System.lineSeparator());
  }

  /** The output as JSON: times in seconds, sizes in bytes. */
  String json() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    Training training = iteration().training();
    root.putObject("job").put("model", training.model().name())
        .put("parameters", training.model().parameters()).put("accelerator", iteration().accelerator().name())
        .put("ranks", iteration().grid().ranks()).put("tensor", training.parallel().tensor())
        .put("pipeline", training.parallel().pipeline()).put("chunks", training.parallel().chunks())
        .put("context", training.parallel().context())
        .put("replicas", training.parallel().replicas()).put("expert", training.parallel().expert())
        .put("data", iteration().grid().data()).put("micro_batches", iteration().micros());
    side(root.putObject("estimate").put("stages_share_links", shared)
        .put("leaves_out_variation", training.variation().present()), estimate.ps(), estimate::seconds);
    run.ifPresent(results -> ran(root.putObject("run"), results));
    estimate.joules().ifPresent(joules -> root.put("energy_joules", joules));
    bottlenecks.forEach(each -> root.withArray("bottlenecks").addObject().put("resource", each.resource().id())
        .put("seconds", each.seconds()).put("gain", each.gain()));
    KernelShares kernels = iteration().kernelShares();
    ObjectNode shares = root.putObject("kernel_times").put("relative_error", kernels.relativeError() * computing())
        .putObject("shares");
    kernels.shares().forEach((basis, share) -> shares.put(basis.name().toLowerCase(Locale.ROOT), share));
    int fullest = iteration().fullestStage();
    MemoryUse memory = iteration().memory(fullest);
    root.putObject("memory").put("stage", fullest).put("bytes", memory.bytes())
        .put("capacity", iteration().accelerator().memory().bytes()).put("parameters", memory.parameters())
        .put("gradients", memory.gradients()).put("optimizer", memory.optimizer())
        .put("gathered", memory.gathered()).put("activations", memory.activations());
    return root.toPrettyString() + "\n";
  }

  private void ran(ObjectNode node, Results results) {
    side(node.put("fidelity", results.run().fidelity()), results.run().simulatedPs(), this::ran);
    results.metric(REPLAYS).ifPresent(moved -> node.put("moved_replays", (long) moved.value())
        .put("replay_error_seconds", ran(REPLAY_ERROR) / US_PER_SECOND));
  }

  private void side(ObjectNode node, long ps, ToDoubleFunction<Activity> spent) {
    double seconds = ps / PS_PER_SECOND;
    node.put("seconds", seconds).put("tokens_per_second", iteration().tokensPerSecond(seconds))
        .put("flops_per_second", iteration().flopsPerSecond(seconds)).put("mfu", iteration().utilization(seconds));
    tokens.ifPresent(count -> node.put("days_to_train", days(count, ps)));
    ObjectNode activities = node.putObject("activities");
    for (Activity activity : Activity.values()) {
      activities.put(activity.id(), spent.applyAsDouble(activity));
    }
  }

  private Iteration iteration() {
    return estimate.iteration();
  }

  private double ran(Activity activity) {
    return ran("activity." + activity.id()) / US_PER_SECOND;
  }

  private double ran(String metric) {
    return run.flatMap(results -> results.metric(metric)).map(Metric::value).orElse(Double.NaN);
  }
}
