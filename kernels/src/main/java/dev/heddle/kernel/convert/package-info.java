/** Readers of measured kernels in other formats, and the writer of the compact one. */
@NullMarked
package dev.heddle.kernel.convert;

import org.jspecify.annotations.NullMarked;
