@NullMarked
package dev.heddle.kernel.exchange;

import org.jspecify.annotations.NullMarked;
