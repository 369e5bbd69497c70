@NullMarked
package dev.heddle.workload.megatron;

import org.jspecify.annotations.NullMarked;
