/** Tests of collectives that scale up and out. */
@NullMarked
package dev.heddle.collectives.oneccl;

import org.jspecify.annotations.NullMarked;
