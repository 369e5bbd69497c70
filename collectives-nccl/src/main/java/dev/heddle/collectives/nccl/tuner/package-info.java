/** NCCL's tuning model, which predicts the fastest algorithm and protocol. */
@NullMarked
package dev.heddle.collectives.nccl.tuner;

import org.jspecify.annotations.NullMarked;
