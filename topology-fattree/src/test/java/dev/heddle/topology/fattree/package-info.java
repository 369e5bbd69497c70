@NullMarked
package dev.heddle.topology.fattree;

import org.jspecify.annotations.NullMarked;
