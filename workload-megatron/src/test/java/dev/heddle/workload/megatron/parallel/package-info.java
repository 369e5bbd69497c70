@NullMarked
package dev.heddle.workload.megatron.parallel;

import org.jspecify.annotations.NullMarked;
