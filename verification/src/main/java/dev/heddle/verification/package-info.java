/** Validation suites: the simulator beside measured and published figures. */
@NullMarked
package dev.heddle.verification;

import org.jspecify.annotations.NullMarked;
