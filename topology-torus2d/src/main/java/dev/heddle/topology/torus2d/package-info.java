/** Tori and meshes of chips, each with several cores and their memories. */
@NullMarked
package dev.heddle.topology.torus2d;

import org.jspecify.annotations.NullMarked;
