/** NCCL's environment variables: their declarations, and the configuration of a run. */
@NullMarked
package dev.heddle.collectives.nccl.env;

import org.jspecify.annotations.NullMarked;
