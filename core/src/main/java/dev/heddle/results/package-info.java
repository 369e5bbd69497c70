/** The results of a run: one immutable value of metrics, distributions, link usage and series. */
@NullMarked
package dev.heddle.results;

import org.jspecify.annotations.NullMarked;
