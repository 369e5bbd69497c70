/** Textbook algorithms of collectives. */
@NullMarked
package dev.heddle.standard.collective;

import org.jspecify.annotations.NullMarked;
