/** NCCL's algorithms as schedules: rings, trees, parallel aggregated trees, and exchanges of peers. */
@NullMarked
package dev.heddle.collectives.nccl.schedule;

import org.jspecify.annotations.NullMarked;
