/** The library of kernels: measured times of accelerators, interpolated, transferred, and each with a confidence. */
@NullMarked
package dev.heddle.kernel;

import org.jspecify.annotations.NullMarked;
