/** Collectives on slices of TPUs: rings along all axes of the torus at once. */
@NullMarked
package dev.heddle.collectives.tpu;

import org.jspecify.annotations.NullMarked;
