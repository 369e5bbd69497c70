/** What must hold of the whole: its architecture, and that its results do not change unmeant. */
@NullMarked
package dev.heddle.verification;

import org.jspecify.annotations.NullMarked;
