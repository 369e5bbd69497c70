@NullMarked
package dev.heddle.link.infiniband;

import org.jspecify.annotations.NullMarked;
