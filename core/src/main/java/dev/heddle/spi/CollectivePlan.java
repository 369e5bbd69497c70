package dev.heddle.spi;

import com.google.common.base.Suppliers;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import java.util.List;
import java.util.function.Supplier;

/**
 * Plan of one collective: the schedule, which all fidelities carry out, and, where every channel moves its data as one
 * fluid, the same as pipelines, by which flow and analytic fidelity need not unroll the steps of thousands of ranks.
 */
public final class CollectivePlan {
  private final Schedule schedule;
  private final Supplier<List<Pipeline>> pipelines;

  private CollectivePlan(Schedule schedule, Supplier<List<Pipeline>> pipelines) {
    this.schedule = schedule;
    this.pipelines = pipelines;
  }

  /** A plan whose schedule is carried out step by step at all fidelities. */
  public static CollectivePlan of(Schedule schedule) {
    return new CollectivePlan(schedule, List::of);
  }

  /**
   * The same plan with pipelines for flow and analytic fidelity.
   *
   * @param channels made when they are asked for, once: those of one phase run concurrently, a phase begins when the
   * one before has ended, and the collective has ended when the last of them has
   */
  public CollectivePlan withPipelines(Supplier<List<Pipeline>> channels) {
    return new CollectivePlan(schedule, Suppliers.memoize(() -> List.copyOf(channels.get())));
  }

  /** The steps of all ranks, with the transport that carries their messages. */
  public Schedule schedule() {
    return schedule;
  }

  /** The pipelines; none where steps are rounds that wait for each other. */
  public List<Pipeline> pipelines() {
    return pipelines.get();
  }
}
