@NullMarked
package dev.heddle.kernel;

import org.jspecify.annotations.NullMarked;
