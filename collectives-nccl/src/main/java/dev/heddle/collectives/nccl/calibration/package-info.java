/**
 * Calibration: the fit of constants of GPU generations, networks and machines to measured times, within physical
 * bounds.
 */
@NullMarked
package dev.heddle.collectives.nccl.calibration;

import org.jspecify.annotations.NullMarked;
