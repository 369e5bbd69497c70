@NullMarked
package dev.heddle.hpl;

import org.jspecify.annotations.NullMarked;
