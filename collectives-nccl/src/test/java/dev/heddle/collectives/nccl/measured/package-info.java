/** Tests of logs of measurements. */
@NullMarked
package dev.heddle.collectives.nccl.measured;

import org.jspecify.annotations.NullMarked;
