/** Tests of the engines for sweeps. */
@NullMarked
package dev.heddle.cli.sweep;

import org.jspecify.annotations.NullMarked;
