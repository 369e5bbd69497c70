package dev.heddle.workload.trace.export;

import java.util.List;

/**
 * A rank's operations, each after those that it waits for.
 *
 * @param nodes computations, messages, receipts and collectives
 * @param after for each, the positions of those that it waits for, ascending
 */
record RankOperations(List<OperationNode> nodes, List<int[]> after) {}
