@NullMarked
package dev.heddle.hpl.tune;

import org.jspecify.annotations.NullMarked;
