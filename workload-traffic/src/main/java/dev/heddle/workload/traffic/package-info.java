/** Synthetic traffic: generators at a load, and patterns of destinations. */
@NullMarked
package dev.heddle.workload.traffic;

import org.jspecify.annotations.NullMarked;
