package dev.heddle.collectives.nccl.rccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * The schedules of MSCCL that RCCL's releases bring along. On a whole node of eight MI300 whose GPUs have a process
 * each, they take the place of RCCL's own algorithms by the size of a call [ROCm/rccl, tools/msccl-algorithms and
 * src/misc/msccl/msccl_lifecycle.cc]. Ranks exchange data in pairs, so that every link of a GPU carries an equal part.
 */
public final class MscclSchedules {
  private static final ConstantTable TABLE = ConstantTable.read("rccl-msccl.csv");
  private static final int RANKS = 8;
  // Bytes of a number, as nccl-tests has them without -d.
  private static final int NUMBER = 4;

  private MscclSchedules() {}

  /**
   * One schedule.
   *
   * @param protocol protocol of its steps
   * @param channels number of channels, each with a thread block for every peer
   */
  public record Schedule(Protocol protocol, int channels) {}

  /**
   * The schedule of a call of ranks with a process each; empty where RCCL keeps its own algorithms.
   *
   * @param bytes of the largest buffer of any rank
   */
  public static Optional<Schedule> of(RcclRings rings, NcclConfig config, CollectiveOp op, long bytes) {
    if (!config.get(Environment.MSCCL_ENABLE) || rings.gpu() != RcclGpu.GFX942 || rings.nodes() != 1
        || rings.ranks() != RANKS) {
      return Optional.empty();
    }
    long numbers = bytes / NUMBER / (op == CollectiveOp.ALL_GATHER ? RANKS : 1);
    return TABLE.rows(config.version()).stream().filter(row -> TABLE.cell(row, "op").equals(op.key()))
        .filter(row -> numbers > 0 && numbers % number(row, "chunks") == 0)
        .filter(row -> bytes >= number(row, "from") && bytes <= number(row, "to")).findFirst()
        .map(row -> new Schedule(protocol(TABLE.cell(row, "protocol")), (int) number(row, "channels")));
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(TABLE.cell(row, column));
  }

  private static Protocol protocol(String title) {
    return Arrays.stream(Protocol.values()).filter(each -> each.title().equals(title)).findFirst()
        .orElseThrow(() -> new IllegalStateException("no protocol " + title));
  }
}
