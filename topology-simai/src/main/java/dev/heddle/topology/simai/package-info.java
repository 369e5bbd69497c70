/** Fabrics from the topology files of SimAI, and of ASTRA-sim's ns-3, which are much the same. */
@NullMarked
package dev.heddle.topology.simai;

import org.jspecify.annotations.NullMarked;
