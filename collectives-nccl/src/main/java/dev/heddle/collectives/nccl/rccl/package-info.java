/** RCCL's tuning models, which choose algorithm and protocol on GPUs of AMD, and the rings that they assume. */
@NullMarked
package dev.heddle.collectives.nccl.rccl;

import org.jspecify.annotations.NullMarked;
