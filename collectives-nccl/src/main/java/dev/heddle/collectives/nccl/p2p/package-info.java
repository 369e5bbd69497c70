/** Point-to-point messages: order of peers, channels, chunks, relays. */
@NullMarked
package dev.heddle.collectives.nccl.p2p;

import org.jspecify.annotations.NullMarked;
