@NullMarked
package dev.heddle.collectives.nccl.schedule;

import org.jspecify.annotations.NullMarked;
