/** Collectives: what an operation must do, the schedules that do it, and their proof. */
@NullMarked
package dev.heddle.collective;

import org.jspecify.annotations.NullMarked;
