/** GOAL text, the language of LogGOPSim's schedules. */
@NullMarked
package dev.heddle.workload.trace.goal;

import org.jspecify.annotations.NullMarked;
