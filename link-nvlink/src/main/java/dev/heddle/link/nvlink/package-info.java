/** NVLink and NVSwitch, generations 1 to 5, and the topology of the nodes built with them. */
@NullMarked
package dev.heddle.link.nvlink;

import org.jspecify.annotations.NullMarked;
