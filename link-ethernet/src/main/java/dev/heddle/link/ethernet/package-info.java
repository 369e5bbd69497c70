/** Ethernet: links with their frames, and switches with shared buffers, marks, priority flow control and trimming. */
@NullMarked
package dev.heddle.link.ethernet;

import org.jspecify.annotations.NullMarked;
