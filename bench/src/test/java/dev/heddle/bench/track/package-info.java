@NullMarked
package dev.heddle.bench.track;

import org.jspecify.annotations.NullMarked;
