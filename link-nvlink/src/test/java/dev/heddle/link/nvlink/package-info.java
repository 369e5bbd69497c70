/** Tests of NVLink. */
@NullMarked
package dev.heddle.link.nvlink;

import org.jspecify.annotations.NullMarked;
