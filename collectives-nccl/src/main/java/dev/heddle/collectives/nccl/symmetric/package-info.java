/** NCCL's kernels for symmetric memory: buffers that all ranks registered as a window. */
@NullMarked
package dev.heddle.collectives.nccl.symmetric;

import org.jspecify.annotations.NullMarked;
