@NullMarked
package dev.heddle.training;

import org.jspecify.annotations.NullMarked;
