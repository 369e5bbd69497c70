/** Training of language models: one iteration as a workload. */
@NullMarked
package dev.heddle.workload.megatron;

import org.jspecify.annotations.NullMarked;
