/** Collectives: the operations, the schedules that implement them, and their proof. */
@NullMarked
package dev.heddle.collective;

import org.jspecify.annotations.NullMarked;
