@NullMarked
package dev.heddle.collectives.nccl.tuner;

import org.jspecify.annotations.NullMarked;
