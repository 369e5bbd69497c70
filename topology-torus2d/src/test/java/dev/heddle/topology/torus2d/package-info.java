@NullMarked
package dev.heddle.topology.torus2d;

import org.jspecify.annotations.NullMarked;
