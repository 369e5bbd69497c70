/** Programs of the ranks of a training job: operations of a stage, orders of the pipeline, peak memory. */
@NullMarked
package dev.heddle.workload.megatron.program;

import org.jspecify.annotations.NullMarked;
