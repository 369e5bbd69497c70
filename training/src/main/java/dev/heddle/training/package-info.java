/** Iterations in milliseconds: one rank per pipeline stage, and communication that is timed once. */
@NullMarked
package dev.heddle.training;

import org.jspecify.annotations.NullMarked;
