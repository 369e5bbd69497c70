/** A node from NCCL's view: its topology file, the system graph with assumed bandwidths, and paths. */
@NullMarked
package dev.heddle.collectives.nccl.system;

import org.jspecify.annotations.NullMarked;
