/** Workload files of AICB, as SimAI executes them: layers with computations and collectives. */
@NullMarked
package dev.heddle.workload.trace.aicb;

import org.jspecify.annotations.NullMarked;
