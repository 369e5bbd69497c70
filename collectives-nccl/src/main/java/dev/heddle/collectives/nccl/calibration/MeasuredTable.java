package dev.heddle.collectives.nccl.calibration;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.RankLayout;
import dev.heddle.collectives.nccl.tuner.Call;
import java.util.List;
import java.util.function.Function;

/**
 * Times of one operation on one communicator that were measured.
 *
 * @param name of the table
 * @param machine on which it was measured: one owner's cluster
 * @param generation of its GPUs, such as {@code hopper}
 * @param network id of its network; empty within a node
 * @param model of the communicator that was measured
 * @param op operation
 * @param inPlace whether a rank's own block was not copied
 * @param rows measured times
 */
public record MeasuredTable(
    String name, String machine, String generation, String network, Model model, CollectiveOp op,
    boolean inPlace, List<Row> rows) {
  /** Copies the rows. */
  public MeasuredTable {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * One measured time.
   *
   * @param bytes of the call, at least 1
   * @param micros measured, microseconds, above 0
   * @param execution by which NCCL's tuner carries it out
   */
  public record Row(long bytes, double micros, Execution execution) {}

  /** The execution that NCCL's tuner chooses; any where the operation is built of send and receive. */
  public static Execution execution(
      CommunicatorTiming communicator, CollectiveOp op, long bytes, Call.Reduction reduction) {
    return CommunicatorTiming.tuned(op)
        ? communicator.execution(new Call(op, bytes, 1, reduction))
        : new Execution(dev.heddle.collectives.nccl.Algorithm.RING, dev.heddle.collectives.nccl.Protocol.SIMPLE, 1);
  }

  /**
   * A communicator as a function of the times of its machine.
   *
   * @param layout of its ranks
   * @param timed the times of its calls for those of a machine
   */
  public record Model(RankLayout layout, Function<MachineTiming, Calls> timed) {
    /** The model of a communicator of NCCL. */
    public static Model of(CommunicatorTiming communicator) {
      return new Model(communicator.layout(), machine -> communicator.with(machine)::time);
    }
  }

  /** The times of calls. */
  public interface Calls {
    /** The time of a call by an execution. */
    CallTime time(CollectiveOp op, long bytes, boolean inPlace, Execution execution);
  }

  /** The modelled times of all rows with the times of a machine, microseconds. */
  public double[] modelMicros(MachineTiming timing) {
    Calls calls = model.timed().apply(timing);
    return rows.stream().mapToDouble(row -> calls.time(op, row.bytes(), inPlace, row.execution()).nanos() / 1e3)
        .toArray();
  }
}
