/** The way back: what a workload's ranks do, as Chakra execution traces or GOAL text. */
@NullMarked
package dev.heddle.workload.trace.export;

import org.jspecify.annotations.NullMarked;
