@NullMarked
package dev.heddle.workload.trace.graph;

import org.jspecify.annotations.NullMarked;
