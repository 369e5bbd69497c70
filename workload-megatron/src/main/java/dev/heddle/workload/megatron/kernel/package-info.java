/** Times of kernels on an accelerator: measured, scaled from another accelerator, or from its data sheet. */
@NullMarked
package dev.heddle.workload.megatron.kernel;

import org.jspecify.annotations.NullMarked;
