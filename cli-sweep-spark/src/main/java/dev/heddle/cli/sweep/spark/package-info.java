/** An engine for sweeps on Apache Spark. */
@NullMarked
package dev.heddle.cli.sweep.spark;

import org.jspecify.annotations.NullMarked;
