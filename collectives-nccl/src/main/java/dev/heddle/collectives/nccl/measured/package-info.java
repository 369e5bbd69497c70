/** Logs of measurements: raw output of nccl-tests, OSU micro-benchmarks and perftest, and CSV. */
@NullMarked
package dev.heddle.collectives.nccl.measured;

import org.jspecify.annotations.NullMarked;
