/** How a training job is cut: degrees of parallelism, batches, numerics, and which rank does what. */
@NullMarked
package dev.heddle.workload.megatron.parallel;

import org.jspecify.annotations.NullMarked;
