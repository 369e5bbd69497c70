/** The search for the N, NB, P and Q that are best for a machine. */
@NullMarked
package dev.heddle.hpl.tune;

import org.jspecify.annotations.NullMarked;
