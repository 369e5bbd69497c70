/** Tests of dragonflies. */
@NullMarked
package dev.heddle.topology.dragonfly;

import org.jspecify.annotations.NullMarked;
