/** A training job as it is described, and which of its layers each stage holds. */
@NullMarked
package dev.heddle.workload.megatron.job;

import org.jspecify.annotations.NullMarked;
