/** The commands {@code train} and {@code search}. */
@NullMarked
package dev.heddle.cli.train;

import org.jspecify.annotations.NullMarked;
