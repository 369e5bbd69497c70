@NullMarked
package dev.heddle.collectives.nccl.search;

import org.jspecify.annotations.NullMarked;
