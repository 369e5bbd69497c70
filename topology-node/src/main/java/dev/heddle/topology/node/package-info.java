/** Topologies of a node. */
@NullMarked
package dev.heddle.topology.node;

import org.jspecify.annotations.NullMarked;
