@NullMarked
package dev.heddle.link.pcie;

import org.jspecify.annotations.NullMarked;
