/** The command {@code kernels}: what the library of kernels knows, and the converter of measured tables. */
@NullMarked
package dev.heddle.cli.kernels;

import org.jspecify.annotations.NullMarked;
