@NullMarked
package dev.heddle.workload.megatron.program;

import org.jspecify.annotations.NullMarked;
