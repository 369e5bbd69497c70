/** Collectives that reduce within a node, then between nodes, as oneCCL's do on Aurora, and their closed forms. */
@NullMarked
package dev.heddle.collectives.oneccl;

import org.jspecify.annotations.NullMarked;
