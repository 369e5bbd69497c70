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
 * A table of measured times of one operation on one communicator.
 *
 * @param name of the table
 * @param machine on which it was measured: one owner's cluster
 * @param generation of its GPUs, such as {@code hopper}
 * @param network id of its network; empty within a node
 * @param model of the communicator that was measured
 * @param op operation
 * @param inPlace whether the call was in place, so that a rank does not copy its own block
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
   * @param execution algorithm, protocol and channels that NCCL's tuner chooses
   */
  public record Row(long bytes, double micros, Execution execution) {}

  /**
   * The execution that NCCL's tuner chooses; a placeholder for operations that consist of send and receive, which have
   * no choice.
   */
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
   * @param timed function from the timing of a machine to the times of calls
   */
  public record Model(RankLayout layout, Function<MachineTiming, Calls> timed) {
    /** The model of a communicator. */
    public static Model of(CommunicatorTiming communicator) {
      return new Model(communicator.layout(), machine -> communicator.with(machine)::time);
    }
  }

  /** Times of calls. */
  public interface Calls {
    /** The time of a call with an execution. */
    CallTime time(CollectiveOp op, long bytes, boolean inPlace, Execution execution);
  }

  /** The modelled times of all rows on a machine, microseconds. */
  public double[] modelMicros(MachineTiming timing) {
    Calls calls = model.timed().apply(timing);
    return rows.stream().mapToDouble(row -> calls.time(op, row.bytes(), inPlace, row.execution()).nanos() / 1e3)
        .toArray();
  }
}
