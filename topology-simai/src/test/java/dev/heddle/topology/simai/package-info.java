@NullMarked
package dev.heddle.topology.simai;

import org.jspecify.annotations.NullMarked;
