/** The command line, parsed by picocli and composed by Guice; the only package that depends on all others. */
@NullMarked
package dev.heddle.cli;

import org.jspecify.annotations.NullMarked;
