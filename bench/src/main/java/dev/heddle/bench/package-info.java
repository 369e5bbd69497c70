/** JMH benchmarks; the module's README explains how to track figures between commits. */
@NullMarked
package dev.heddle.bench;

import org.jspecify.annotations.NullMarked;
