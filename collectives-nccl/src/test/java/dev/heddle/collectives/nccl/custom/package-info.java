/** Tests of all_reduce of inference engines. */
@NullMarked
package dev.heddle.collectives.nccl.custom;

import org.jspecify.annotations.NullMarked;
