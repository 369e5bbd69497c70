/** The description of a training job, and the assignment of its layers to stages. */
@NullMarked
package dev.heddle.workload.megatron.job;

import org.jspecify.annotations.NullMarked;
