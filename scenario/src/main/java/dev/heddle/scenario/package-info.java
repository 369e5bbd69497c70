/** Scenario files: read, completed by presets, overridden, swept, bound to records, and refused with every reason. */
@NullMarked
package dev.heddle.scenario;

import org.jspecify.annotations.NullMarked;
