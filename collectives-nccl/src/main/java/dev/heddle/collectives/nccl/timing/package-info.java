/** Closed forms of the time of NCCL's calls: pipelines of slices, with the times of GPUs, hosts and networks. */
@NullMarked
package dev.heddle.collectives.nccl.timing;

import org.jspecify.annotations.NullMarked;
