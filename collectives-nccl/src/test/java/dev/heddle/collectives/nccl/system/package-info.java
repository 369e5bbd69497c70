@NullMarked
package dev.heddle.collectives.nccl.system;

import org.jspecify.annotations.NullMarked;
