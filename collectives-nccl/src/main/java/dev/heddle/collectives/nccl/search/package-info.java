/** NCCL's search for channels: the search of one node, and the rings and trees through all nodes. */
@NullMarked
package dev.heddle.collectives.nccl.search;

import org.jspecify.annotations.NullMarked;
