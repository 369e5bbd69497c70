@NullMarked
package dev.heddle.collectives.nccl.env;

import org.jspecify.annotations.NullMarked;
