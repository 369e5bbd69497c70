@NullMarked
package dev.heddle.kernel.convert;

import org.jspecify.annotations.NullMarked;
