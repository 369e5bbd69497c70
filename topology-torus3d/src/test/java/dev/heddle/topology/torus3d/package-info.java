@NullMarked
package dev.heddle.topology.torus3d;

import org.jspecify.annotations.NullMarked;
