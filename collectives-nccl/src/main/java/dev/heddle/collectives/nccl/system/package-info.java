/** What NCCL sees of a node: its topology file, the graph of links with planning bandwidths, paths. */
@NullMarked
package dev.heddle.collectives.nccl.system;

import org.jspecify.annotations.NullMarked;
