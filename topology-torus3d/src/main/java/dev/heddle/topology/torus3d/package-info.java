/** Tori, twisted tori and meshes of chips in up to three dimensions, as in slices of TPUs. */
@NullMarked
package dev.heddle.topology.torus3d;

import org.jspecify.annotations.NullMarked;
