@NullMarked
package dev.heddle.collectives.nccl.symmetric;

import org.jspecify.annotations.NullMarked;
