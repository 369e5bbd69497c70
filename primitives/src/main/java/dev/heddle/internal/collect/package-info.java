/** Collections and graphs of primitives for the hot packages. Not for plug-ins. */
@NullMarked
package dev.heddle.internal.collect;

import org.jspecify.annotations.NullMarked;
