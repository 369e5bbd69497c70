/** Workload files of AICB, which SimAI executes: layers with what they compute and which collectives they do. */
@NullMarked
package dev.heddle.workload.trace.aicb;

import org.jspecify.annotations.NullMarked;
