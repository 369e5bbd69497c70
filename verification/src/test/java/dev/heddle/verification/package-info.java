/** Tests of the whole: its architecture, and the stability of its results. */
@NullMarked
package dev.heddle.verification;

import org.jspecify.annotations.NullMarked;
