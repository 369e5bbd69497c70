/** The commands {@code nccl-tests} and {@code nccl}. */
@NullMarked
package dev.heddle.cli.nccl;

import org.jspecify.annotations.NullMarked;
