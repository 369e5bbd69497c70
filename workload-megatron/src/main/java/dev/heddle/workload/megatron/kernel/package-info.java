/** What kernels take on an accelerator: measured, scaled from another accelerator, or from the figures of its data sheet. */
@NullMarked
package dev.heddle.workload.megatron.kernel;

import org.jspecify.annotations.NullMarked;
