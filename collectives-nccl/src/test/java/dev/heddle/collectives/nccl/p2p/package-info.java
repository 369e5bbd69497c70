@NullMarked
package dev.heddle.collectives.nccl.p2p;

import org.jspecify.annotations.NullMarked;
