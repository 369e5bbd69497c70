package dev.heddle.collectives.nccl.measured;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Measured times of one collective on one communicator.
 *
 * @param file name of the file, with the test and the type of its elements where the file has several
 * @param op operation
 * @param place ranks; absent where the file does not state them
 * @param facts of the machine and of the library
 * @param reduction type of elements, where the time depends on it
 * @param rows sizes and times, by size
 */
public record CallLog(
    String file, CollectiveOp op, Optional<Place> place, LogFacts facts, Reduction reduction, List<Row> rows) {
  /** Copies the rows. */
  public CallLog {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * The ranks of a communicator.
   *
   * @param ranks at least 1
   * @param nodes hosts, at least 1
   * @param gpusPerProcess ranks that one process drove
   */
  public record Place(int ranks, int nodes, int gpusPerProcess) {}

  /**
   * A measured call.
   *
   * @param bytes size as nccl-tests counts it: of all ranks' parts for all_gather and the like
   * @param micros time out of place, microseconds
   * @param inPlace time in place, microseconds; absent where it was not measured
   */
  public record Row(long bytes, double micros, OptionalDouble inPlace) {}

  /** The log at a place, for logs that do not state theirs, with sizes as nccl-tests counts them. */
  public CallLog at(Place where) {
    int parts = facts.partSizes() ? switch (op) {
      case ALL_GATHER, ALL_TO_ALL, ALL_TO_ALL_V, GATHER, SCATTER -> where.ranks();
      case ALL_REDUCE, REDUCE_SCATTER, BROADCAST, REDUCE, SEND_RECV -> 1;
    } : 1;
    return new CallLog(file, op, Optional.of(where), facts, reduction,
        rows.stream().map(row -> new Row(parts * row.bytes(), row.micros(), row.inPlace())).toList());
  }

  /** The log with the times in place instead of those out of place; no rows where there are none. */
  public CallLog inPlace() {
    return new CallLog(file, op, place, facts, reduction, rows.stream().filter(row -> row.inPlace().isPresent())
        .map(row -> new Row(row.bytes(), row.inPlace().getAsDouble(), OptionalDouble.empty())).toList());
  }
}
