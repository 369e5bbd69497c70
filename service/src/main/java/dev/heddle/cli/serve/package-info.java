/** The command {@code serve}. */
@NullMarked
package dev.heddle.cli.serve;

import org.jspecify.annotations.NullMarked;
