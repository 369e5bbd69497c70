/** Export: the operations of a workload's ranks as Chakra execution traces or GOAL text. */
@NullMarked
package dev.heddle.workload.trace.export;

import org.jspecify.annotations.NullMarked;
