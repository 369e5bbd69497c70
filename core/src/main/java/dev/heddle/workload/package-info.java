/** Programs: the operations of ranks, produced lazily, one cursor per stream. */
@NullMarked
package dev.heddle.workload;

import org.jspecify.annotations.NullMarked;
