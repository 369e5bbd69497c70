/** The command line: the only place where everything meets, by picocli and Guice. */
@NullMarked
package dev.heddle.cli;

import org.jspecify.annotations.NullMarked;
