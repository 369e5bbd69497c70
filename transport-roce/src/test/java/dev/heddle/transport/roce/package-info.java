@NullMarked
package dev.heddle.transport.roce;

import org.jspecify.annotations.NullMarked;
