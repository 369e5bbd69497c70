/** NCCL's environment variables: one declaration each, and the values of a run. */
@NullMarked
package dev.heddle.collectives.nccl.env;

import org.jspecify.annotations.NullMarked;
