/** JMH benchmarks; see the module's README for how to track figures between commits. */
@NullMarked
package dev.heddle.bench;

import org.jspecify.annotations.NullMarked;
