/** Star, and direct cable between two terminals. */
@NullMarked
package dev.heddle.standard.topology;

import org.jspecify.annotations.NullMarked;
