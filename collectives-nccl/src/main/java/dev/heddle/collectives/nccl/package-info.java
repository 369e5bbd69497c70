/** NCCL's vocabulary: algorithms, protocols, path types, versions. */
@NullMarked
package dev.heddle.collectives.nccl;

import org.jspecify.annotations.NullMarked;
