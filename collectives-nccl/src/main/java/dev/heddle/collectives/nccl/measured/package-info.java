/** Logs of measurements: output and JSON of nccl-tests, output of OSU micro-benchmarks and perftest, and CSV. */
@NullMarked
package dev.heddle.collectives.nccl.measured;

import org.jspecify.annotations.NullMarked;
