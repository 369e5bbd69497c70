/** The command export: the operations of a scenario's ranks, for other tools. */
@NullMarked
package dev.heddle.cli.export;

import org.jspecify.annotations.NullMarked;
