/** Network at analytic fidelity: every message and every collective takes its time on the idle fabric. */
@NullMarked
package dev.heddle.network.analytic;

import org.jspecify.annotations.NullMarked;
