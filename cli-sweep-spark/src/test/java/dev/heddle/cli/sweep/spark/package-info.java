/** Tests of the engine for Spark. */
@NullMarked
package dev.heddle.cli.sweep.spark;

import org.jspecify.annotations.NullMarked;
