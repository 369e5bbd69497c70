package dev.heddle.topology.torus2d;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.function.IntUnaryOperator;

/**
 * Every rank sends one message of a traffic class.
 *
 * @param trafficClass of all messages
 * @param bytes of each message
 * @param target of each rank; the rank itself stands for its own memory, a negative number for no message
 */
record ClassedMessages(int trafficClass, long bytes, IntUnaryOperator target) implements Workload {
  /** The number of messages, out of 16, that arrive when every chip of a ring of 8 sends to the third chip after it. */
  static long delivered(Fabric fabric, int trafficClass, long bytes) {
    Results results = run(fabric, new ClassedMessages(trafficClass, bytes, rank -> (rank + 6) % 16), Fidelity.PACKET);
    return Math.round(results.metric("messages.delivered").orElseThrow().value());
  }

  /** Runs it. */
  static Results run(Fabric fabric, ClassedMessages messages, Fidelity fidelity) {
    return new Simulation("classes", fabric, messages, SimulationOptions.defaults(), 1).at(fidelity).run();
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    return WorkloadPlan.of(ranks(cluster), this::program);
  }

  private int[] ranks(Cluster cluster) {
    return cluster.terminals(DeviceKind.ACCELERATOR);
  }

  private Program program(int rank, WorkloadContext context) {
    return new Program() {
      private boolean sent;

      @Override
      public int streams() {
        return 1;
      }

      @Override
      public boolean next(int stream, Operation operation) {
        if (sent || target.applyAsInt(rank) < 0) {
          return false;
        }
        sent = true;
        operation.send(target.applyAsInt(rank), bytes, Operation.ONE_SIDED, trafficClass);
        return true;
      }
    };
  }
}
