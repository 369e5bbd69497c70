/** What each rank of a training job does, operation by operation: blocks of a stage, orders of the pipeline, programs. */
@NullMarked
package dev.heddle.workload.megatron.program;

import org.jspecify.annotations.NullMarked;
