/** Which channels NCCL makes: the search of one node, rings and trees through all. */
@NullMarked
package dev.heddle.collectives.nccl.search;

import org.jspecify.annotations.NullMarked;
