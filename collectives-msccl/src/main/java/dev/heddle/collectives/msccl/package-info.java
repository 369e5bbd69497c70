/** Collectives from MSCCL XML files. */
@NullMarked
package dev.heddle.collectives.msccl;

import org.jspecify.annotations.NullMarked;
