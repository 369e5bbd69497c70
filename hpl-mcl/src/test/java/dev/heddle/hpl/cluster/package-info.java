@NullMarked
package dev.heddle.hpl.cluster;

import org.jspecify.annotations.NullMarked;
