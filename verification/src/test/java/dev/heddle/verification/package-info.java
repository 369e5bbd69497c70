/** Tests of the project as a whole: its architecture, and the stability of its results. */
@NullMarked
package dev.heddle.verification;

import org.jspecify.annotations.NullMarked;
