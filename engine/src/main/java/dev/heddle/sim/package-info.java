/** The facade: composes a fabric, a workload and options, and runs them. */
@NullMarked
package dev.heddle.sim;

import org.jspecify.annotations.NullMarked;
