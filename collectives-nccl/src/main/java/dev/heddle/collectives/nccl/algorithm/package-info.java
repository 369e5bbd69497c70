/** NCCL as a collective algorithm: choice of algorithm, schedules, and pipelines for the flow network. */
@NullMarked
package dev.heddle.collectives.nccl.algorithm;

import org.jspecify.annotations.NullMarked;
