package dev.heddle.cli.nccl;

import dev.heddle.cli.CollectiveOption;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A program of nccl-tests. */
enum PerfTest {
  ALL_REDUCE("all_reduce_perf", CollectiveOp.ALL_REDUCE, Parts.WHOLE),
  ALL_GATHER("all_gather_perf", CollectiveOp.ALL_GATHER, Parts.PER_RANK),
  REDUCE_SCATTER("reduce_scatter_perf", CollectiveOp.REDUCE_SCATTER, Parts.PER_RANK),
  BROADCAST("broadcast_perf", CollectiveOp.BROADCAST, Parts.WHOLE),
  REDUCE("reduce_perf", CollectiveOp.REDUCE, Parts.WHOLE),
  ALL_TO_ALL("alltoall_perf", CollectiveOp.ALL_TO_ALL, Parts.PER_RANK),
  SEND_RECV("sendrecv_perf", CollectiveOp.SEND_RECV, Parts.WHOLE),
  GATHER("gather_perf", CollectiveOp.GATHER, Parts.PER_RANK),
  SCATTER("scatter_perf", CollectiveOp.SCATTER, Parts.PER_RANK),
  HYPERCUBE("hypercube_perf", CollectiveOp.ALL_GATHER, Parts.PER_RANK);

  private static final int ALIGNMENT = 16;

  private final String program;
  private final CollectiveOp op;
  private final Parts parts;

  PerfTest(String program, CollectiveOp op, Parts parts) {
    this.program = program;
    this.op = op;
    this.parts = parts;
  }

  /** Division of a size: one buffer, or a part per rank of whole 16 bytes. */
  private enum Parts {
    WHOLE,
    PER_RANK
  }

  String program() {
    return program;
  }

  CollectiveOp op() {
    return op;
  }

  /** Elements of a rank's part. */
  long count(long bytes, int elementBytes, int ranks) {
    long elements = bytes / elementBytes;
    long unit = Math.max(1, ALIGNMENT / elementBytes);
    return parts == Parts.WHOLE ? elements : elements / ranks / unit * unit;
  }

  /** The bytes that nccl-tests prints and counts for a rank's part. */
  long size(long count, int elementBytes, int ranks) {
    int parted = this == HYPERCUBE ? ranks - 1 : ranks;
    return parts == Parts.WHOLE ? count * elementBytes : count * elementBytes * parted;
  }

  double busFactor(int ranks) {
    return this == HYPERCUBE ? 1 : op.busFactor(ranks);
  }

  /** Whether results in place are compared; send and receive have none. */
  boolean checkedInPlace() {
    return this != ALL_TO_ALL && this != SEND_RECV && this != HYPERCUBE;
  }

  static PerfTest of(String name) {
    List<String> programs = Arrays.stream(values()).map(PerfTest::program).toList();
    Optional<PerfTest> found = Arrays.stream(values()).filter(test -> test.program.equals(name)).findFirst();
    return found.orElseThrow(() -> new InvalidSettingException("", "there is no test '" + name + "'; there are "
        + String.join(", ", programs) + NearestMatch.hint(name, programs)));
  }

  /** The operation of a name, of those with one size for all messages. */
  static CollectiveOp operation(String name) {
    return CollectiveOption.parse("OP", name,
        Arrays.stream(CollectiveOp.values()).filter(each -> each != CollectiveOp.ALL_TO_ALL_V).toList());
  }
}
