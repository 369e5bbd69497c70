/** The command export: what a scenario's ranks do, for other tools. */
@NullMarked
package dev.heddle.cli.export;

import org.jspecify.annotations.NullMarked;
