@NullMarked
package dev.heddle.collectives.tpu;

import org.jspecify.annotations.NullMarked;
