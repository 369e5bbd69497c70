@NullMarked
package dev.heddle.workload.trace.chakra;

import org.jspecify.annotations.NullMarked;
