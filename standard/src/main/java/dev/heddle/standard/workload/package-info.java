/** Workloads of single collectives, and of several workloads at once. */
@NullMarked
package dev.heddle.standard.workload;

import org.jspecify.annotations.NullMarked;
