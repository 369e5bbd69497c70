/** Dragonflies: groups of switches that are all neighbours, and links between every two groups. */
@NullMarked
package dev.heddle.topology.dragonfly;

import org.jspecify.annotations.NullMarked;
