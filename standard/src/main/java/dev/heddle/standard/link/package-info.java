/** Link and switch of no vendor. */
@NullMarked
package dev.heddle.standard.link;

import org.jspecify.annotations.NullMarked;
