/** Validation suites: comparison of the simulator with measured and published figures. */
@NullMarked
package dev.heddle.verification;

import org.jspecify.annotations.NullMarked;
