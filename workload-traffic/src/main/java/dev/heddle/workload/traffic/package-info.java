/** Synthetic traffic: generators at a load, patterns of destinations, and microbenchmarks of verbs. */
@NullMarked
package dev.heddle.workload.traffic;

import org.jspecify.annotations.NullMarked;
