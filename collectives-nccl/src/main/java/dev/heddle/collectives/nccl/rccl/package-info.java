/**
 * RCCL's tuning models, which choose algorithm and protocol on GPUs of AMD, the rings that they assume, and the
 * schedules of MSCCL that take their place.
 */
@NullMarked
package dev.heddle.collectives.nccl.rccl;

import org.jspecify.annotations.NullMarked;
