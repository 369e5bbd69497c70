/** The command {@code hpl}. */
@NullMarked
package dev.heddle.cli.hpl;

import org.jspecify.annotations.NullMarked;
