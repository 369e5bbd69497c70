/** Operations of a rank that wait for each other, and the program that carries them out as they become ready. */
@NullMarked
package dev.heddle.workload.trace.graph;

import org.jspecify.annotations.NullMarked;
