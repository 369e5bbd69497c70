@NullMarked
package dev.heddle.transport.uec;

import org.jspecify.annotations.NullMarked;
