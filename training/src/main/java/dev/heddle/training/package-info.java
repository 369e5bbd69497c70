/**
 * Estimates of training iterations: one rank per pipeline stage, and communication that is simulated once in isolation.
 */
@NullMarked
package dev.heddle.training;

import org.jspecify.annotations.NullMarked;
