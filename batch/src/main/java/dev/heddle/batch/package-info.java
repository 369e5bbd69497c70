/** Jobs of batch systems: their texts, and programs that submit and follow them. */
@NullMarked
package dev.heddle.batch;

import org.jspecify.annotations.NullMarked;
