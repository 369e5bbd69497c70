/** Engines that spread a sweep over processes and machines. */
@NullMarked
package dev.heddle.cli.sweep;

import org.jspecify.annotations.NullMarked;
