/** Observers of a run: fixed when it is composed, and free when there is none. */
@NullMarked
package dev.heddle.observe;

import org.jspecify.annotations.NullMarked;
