/** Point-to-point: the order of peers, channels of a message, chunks. */
@NullMarked
package dev.heddle.collectives.nccl.p2p;

import org.jspecify.annotations.NullMarked;
