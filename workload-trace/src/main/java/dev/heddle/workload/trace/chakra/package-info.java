/** Chakra execution traces: protobuf messages one after the other, a file per rank. */
@NullMarked
package dev.heddle.workload.trace.chakra;

import org.jspecify.annotations.NullMarked;
