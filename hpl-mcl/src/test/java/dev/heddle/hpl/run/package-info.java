@NullMarked
package dev.heddle.hpl.run;

import org.jspecify.annotations.NullMarked;
