/** The division of a training job among ranks: degrees of parallelism, batches, numerics and places of ranks. */
@NullMarked
package dev.heddle.workload.megatron.parallel;

import org.jspecify.annotations.NullMarked;
