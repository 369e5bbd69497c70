/** InfiniBand: links of SDR to XDR with their packets, credits and acknowledgements, and switches. */
@NullMarked
package dev.heddle.transport.roce;

import org.jspecify.annotations.NullMarked;
