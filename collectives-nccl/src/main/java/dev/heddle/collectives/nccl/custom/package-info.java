/** All_reduce of inference engines, which replaces NCCL's for short calls within a node. */
@NullMarked
package dev.heddle.collectives.nccl.custom;

import org.jspecify.annotations.NullMarked;
