/** How long NCCL takes: pipelines of slices, by the times of GPUs, hosts and networks that they depend on. */
@NullMarked
package dev.heddle.collectives.nccl.timing;

import org.jspecify.annotations.NullMarked;
