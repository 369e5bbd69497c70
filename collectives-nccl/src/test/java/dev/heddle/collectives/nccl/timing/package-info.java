/** Tests of NCCL's timing. */
@NullMarked
package dev.heddle.collectives.nccl.timing;

import org.jspecify.annotations.NullMarked;
