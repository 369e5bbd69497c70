/** NCCL as an algorithm of collectives: its choice, its schedules, its channels as fluids. */
@NullMarked
package dev.heddle.collectives.nccl.algorithm;

import org.jspecify.annotations.NullMarked;
