/** Fat trees: parallel generalised and real-life ones, k-ary n-trees, and their routing. */
@NullMarked
package dev.heddle.topology.fattree;

import org.jspecify.annotations.NullMarked;
