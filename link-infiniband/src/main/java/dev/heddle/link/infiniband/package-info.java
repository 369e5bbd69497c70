/** InfiniBand: links of SDR to XDR with their packets, credits and acknowledgements, and switches. */
@NullMarked
package dev.heddle.link.infiniband;

import org.jspecify.annotations.NullMarked;
