/** Text files that come from elsewhere, read line by line with bounds. */
@NullMarked
package dev.heddle.text;

import org.jspecify.annotations.NullMarked;
