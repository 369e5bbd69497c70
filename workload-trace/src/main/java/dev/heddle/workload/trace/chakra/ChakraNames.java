package dev.heddle.workload.trace.chakra;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import java.util.Optional;

/** Names and numbers of Chakra's schema (et_def.proto 0.0.4) and of ASTRA-sim's feeder. */
public final class ChakraNames {
  /** Node types. */
  public static final int METADATA = 1;

  public static final int MEMORY_LOAD = 2;

  public static final int MEMORY_STORE = 3;

  public static final int COMPUTE = 4;

  public static final int SEND = 5;

  public static final int RECEIVE = 6;

  public static final int COLLECTIVE = 7;

  /** Fields of GlobalMetadata, Node and AttributeProto that are written. */
  public static final int VERSION = 1;

  public static final int NODE_ID = 1;

  public static final int NODE_NAME = 2;

  public static final int NODE_TYPE = 3;

  public static final int NODE_DATA_DEPENDENCIES = 5;

  public static final int NODE_DURATION_MICROS = 7;

  public static final int NODE_ATTRIBUTE = 10;

  public static final int ATTRIBUTE_NAME = 1;

  public static final int ATTRIBUTE_INT64 = 9;

  public static final int ATTRIBUTE_BOOL = 27;

  public static final int ATTRIBUTE_STRING = 29;

  static final String IS_CPU_OP = "is_cpu_op";
  static final String NUM_OPS = "num_ops";
  static final String TENSOR_SIZE = "tensor_size";
  static final String COMM_TYPE = "comm_type";
  static final String COMM_SIZE = "comm_size";
  static final String COMM_SRC = "comm_src";
  static final String COMM_DST = "comm_dst";
  static final String COMM_TAG = "comm_tag";
  static final String PG_NAME = "pg_name";
  static final String INVOLVED_DIM = "involved_dim";

  /** Attributes of our own, which other readers pass over: a duration exactly, which processor computes, a root. */
  static final String DURATION_PS = "heddle_duration_ps";

  static final String PROCESSOR = "heddle_processor";
  static final String ROOT = "heddle_root";

  // By CollectiveCommType; 8 is REDUCE_SCATTER_BLOCK, 9 BARRIER, here an all_reduce of nothing.
  private static final ImmutableList<CollectiveOp> OPS = ImmutableList.of(
      CollectiveOp.ALL_REDUCE, CollectiveOp.REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.GATHER, CollectiveOp.SCATTER,
      CollectiveOp.BROADCAST, CollectiveOp.ALL_TO_ALL, CollectiveOp.REDUCE_SCATTER, CollectiveOp.REDUCE_SCATTER,
      CollectiveOp.ALL_REDUCE);

  static final int BARRIER = 9;

  private ChakraNames() {}

  /** The operation of a CollectiveCommType. */
  static CollectiveOp op(int type) {
    return OPS.get(type);
  }

  /** The CollectiveCommType of an operation, where the schema has one. */
  public static Optional<Integer> type(CollectiveOp op) {
    int type = OPS.indexOf(op);
    return type < 0 ? Optional.empty() : Optional.of(type);
  }

  /** The size of the largest buffer of a collective of which each rank puts in so much. */
  static long largestBuffer(CollectiveOp op, long input, int ranks) {
    return op == CollectiveOp.ALL_GATHER || op == CollectiveOp.GATHER ? input * ranks : input;
  }
}
