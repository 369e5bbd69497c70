@NullMarked
package dev.heddle.collectives.nccl;

import org.jspecify.annotations.NullMarked;
