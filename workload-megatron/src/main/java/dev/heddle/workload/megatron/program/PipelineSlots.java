package dev.heddle.workload.megatron.program;

import dev.heddle.workload.megatron.parallel.PipelineOrder;

/** The order of a stage's passes. A slot packs the kind of pass, the micro-batch and the stage's model chunk. */
final class PipelineSlots {
  /** A forward pass. */
  static final int FORWARD = 0;

  /** A backward pass; without the weight gradients where those have slots of their own. */
  static final int BACKWARD = 1;

  /** Gradients of weights. */
  static final int WEIGHTS = 2;

  /** The operations after the last pass, which have a number but no slot. */
  static final int UPDATE = 3;

  private static final int CHUNK_BITS = 10;
  private static final int MICRO_BITS = 19;

  /** Most micro-batches of an iteration that slots can number. */
  static final int MOST_MICROS = 1 << MICRO_BITS;

  private PipelineSlots() {}

  static int kind(int slot) {
    return slot >>> CHUNK_BITS + MICRO_BITS;
  }

  static int micro(int slot) {
    return slot >>> CHUNK_BITS & (1 << MICRO_BITS) - 1;
  }

  static int chunk(int slot) {
    return slot & (1 << CHUNK_BITS) - 1;
  }

  /** The number of the operations after the last pass. */
  static int update() {
    return slot(UPDATE, 0, 0);
  }

  private static int slot(int kind, int micro, int chunk) {
    return kind << CHUNK_BITS + MICRO_BITS | micro << CHUNK_BITS | chunk;
  }

  /**
   * The passes of a stage, in order.
   *
   * @param order of the pipeline
   * @param stage from 0
   * @param stages of the pipeline
   * @param micros micro-batches
   * @param chunks of a stage
   */
  static int[] of(PipelineOrder order, int stage, int stages, int micros, int chunks) {
    return switch (order) {
      case GPIPE -> gpipe(micros);
      case ONE_F_ONE_B -> chunks == 1 ? plain(stage, stages, micros) : interleaved(stage, stages, micros, chunks);
      case ZERO_BUBBLE -> zeroBubble(stage, stages, micros);
    };
  }

  private static int[] gpipe(int micros) {
    int[] slots = new int[2 * micros];
    for (int micro = 0; micro < micros; micro++) {
      slots[micro] = slot(FORWARD, micro, 0);
      slots[micros + micro] = slot(BACKWARD, micro, 0);
    }
    return slots;
  }

  // Warm-up: one forward pass for each later stage; then forward and backward passes alternate.
  private static int[] plain(int stage, int stages, int micros) {
    int warm = Math.min(micros, stages - 1 - stage);
    int[] slots = new int[2 * micros];
    int at = 0;
    for (int micro = 0; micro < warm; micro++) {
      slots[at++] = slot(FORWARD, micro, 0);
    }
    for (int micro = warm; micro < micros; micro++) {
      slots[at++] = slot(FORWARD, micro, 0);
      slots[at++] = slot(BACKWARD, micro - warm, 0);
    }
    for (int micro = micros - warm; micro < micros; micro++) {
      slots[at++] = slot(BACKWARD, micro, 0);
    }
    return slots;
  }

  // Micro-batches go round in groups: a group passes a chunk before the next chunk's turn [Narayanan et al. SC'21
  // §2.2].
  private static int[] interleaved(int stage, int stages, int micros, int chunks) {
    int group = group(stages, micros);
    int total = micros * chunks;
    int warm = micros == stages ? total : Math.min(total, 2 * (stages - 1 - stage) + (chunks - 1) * group);
    int[] slots = new int[2 * total];
    int at = 0;
    for (int pass = 0; pass < warm; pass++) {
      slots[at++] = turn(FORWARD, pass, group, micros, chunks);
    }
    for (int pass = warm; pass < total; pass++) {
      slots[at++] = turn(FORWARD, pass, group, micros, chunks);
      slots[at++] = turn(BACKWARD, pass - warm, group, micros, chunks);
    }
    for (int pass = total - warm; pass < total; pass++) {
      slots[at++] = turn(BACKWARD, pass, group, micros, chunks);
    }
    return slots;
  }

  // The smallest group of micro-batches, at least as many as stages, with which the last group is empty or holds at
  // least as many [Megatron-Core, microbatch_group_size_per_vp_stage].
  private static int group(int stages, int micros) {
    int group = stages;
    while (micros % group != 0 && micros % group < stages) {
      group++;
    }
    return group;
  }

  private static int turn(int kind, int pass, int group, int micros, int chunks) {
    int round = pass / (group * chunks);
    int size = Math.min(group, micros - round * group);
    int within = pass - round * group * chunks;
    int chunk = within / size;
    return slot(kind, round * group + within % size, kind == FORWARD ? chunk : chunks - 1 - chunk);
  }

  // Weight gradients lag behind input gradients by one micro-batch for each earlier stage.
  private static int[] zeroBubble(int stage, int stages, int micros) {
    int warm = Math.min(micros, stages - 1 - stage);
    int[] slots = new int[3 * micros];
    int at = 0;
    int done = 0;
    for (int micro = 0; micro < warm; micro++) {
      slots[at++] = slot(FORWARD, micro, 0);
    }
    for (int backward = 0; backward < micros; backward++) {
      if (warm + backward < micros) {
        slots[at++] = slot(FORWARD, warm + backward, 0);
      }
      slots[at++] = slot(BACKWARD, backward, 0);
      if (backward - done >= stage) {
        slots[at++] = slot(WEIGHTS, done, 0);
        done++;
      }
    }
    while (done < micros) {
      slots[at++] = slot(WEIGHTS, done, 0);
      done++;
    }
    return slots;
  }
}
