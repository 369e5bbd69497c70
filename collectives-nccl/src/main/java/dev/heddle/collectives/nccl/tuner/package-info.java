/** NCCL's tuning model: which algorithm and protocol it expects to be fastest. */
@NullMarked
package dev.heddle.collectives.nccl.tuner;

import org.jspecify.annotations.NullMarked;
