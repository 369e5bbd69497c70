/**
 * Schedules of NCCL's algorithms: rings, trees, parallel aggregated trees, reduction in switches, and exchanges of
 * peers.
 */
@NullMarked
package dev.heddle.collectives.nccl.schedule;

import org.jspecify.annotations.NullMarked;
