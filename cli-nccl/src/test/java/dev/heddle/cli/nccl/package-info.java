/** Tests of the commands about NCCL. */
@NullMarked
package dev.heddle.cli.nccl;

import org.jspecify.annotations.NullMarked;
