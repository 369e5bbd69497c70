/**
 * The tracker of speed: measures builds in processes of their own, alone or in pairs, and keeps a history of ratios.
 */
@NullMarked
package dev.heddle.bench.track;

import org.jspecify.annotations.NullMarked;
