/** Times of the kernels that exchange tokens among the ranks of experts. */
@NullMarked
package dev.heddle.kernel.exchange;

import org.jspecify.annotations.NullMarked;
