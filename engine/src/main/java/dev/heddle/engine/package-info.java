/** The event core: simulated time, one total order of events, no allocation per event. Not for plug-ins. */
@NullMarked
package dev.heddle.engine;

import org.jspecify.annotations.NullMarked;
