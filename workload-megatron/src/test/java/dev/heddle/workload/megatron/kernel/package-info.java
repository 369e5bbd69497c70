/** Tests of kernel times. */
@NullMarked
package dev.heddle.workload.megatron.kernel;

import org.jspecify.annotations.NullMarked;
