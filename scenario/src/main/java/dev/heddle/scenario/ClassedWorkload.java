package dev.heddle.scenario;

import dev.heddle.collective.MessageLabel;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/**
 * A workload whose messages have a traffic class between nodes, but for those that have one already: of a workload
 * within this one, or of the algorithm of a collective.
 *
 * @param workload whose messages they are
 * @param trafficClass 0 to 7
 */
record ClassedWorkload(Workload workload, int trafficClass) implements Workload {
  /**
   * Checks the range.
   *
   * @throws IllegalArgumentException when the class is out of range
   */
  ClassedWorkload {
    if (trafficClass < 0 || trafficClass >= MessageLabel.CLASSES) {
      throw new IllegalArgumentException(
          "traffic classes are 0 to " + (MessageLabel.CLASSES - 1) + ": " + trafficClass);
    }
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    WorkloadPlan plan = workload.plan(cluster);
    return WorkloadPlan.of(plan.ranks(), (rank, context) -> new Classed(plan.program(rank, context), trafficClass))
        .withGroups(plan.groups()).withAllToAllVSizes(plan.allToAllVSizes()).withActivities(plan.activities())
        .withMetrics(plan::metrics).withPasses(plan::pass).withStreams(plan::stream);
  }

  private record Classed(Program program, int trafficClass) implements Program {
    @Override
    public int streams() {
      return program.streams();
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (!program.next(stream, operation)) {
        return false;
      }
      switch (operation.kind()) {
        case SEND, GENERATE, COLLECTIVE -> {
          int bits = MessageLabel.networkBits(operation.label());
          if (MessageLabel.networkClass(bits) == MessageLabel.SAME_CLASS) {
            operation.onNetwork(trafficClass, MessageLabel.labelledRoute(bits));
          }
        }
        default -> {
        }
      }
      return true;
    }

    @Override
    public boolean reactive() {
      return program.reactive();
    }
  }
}
