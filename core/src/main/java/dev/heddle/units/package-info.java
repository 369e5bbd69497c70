/** Values with units: time, size, rate and fraction, and the one rounding rule of the simulator. */
@NullMarked
package dev.heddle.units;

import org.jspecify.annotations.NullMarked;
