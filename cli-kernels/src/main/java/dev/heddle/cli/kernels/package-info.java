/** The command {@code kernels}: the contents of the library of kernels, and the converter of measured tables. */
@NullMarked
package dev.heddle.cli.kernels;

import org.jspecify.annotations.NullMarked;
