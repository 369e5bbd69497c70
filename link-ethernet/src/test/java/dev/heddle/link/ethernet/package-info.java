@NullMarked
package dev.heddle.link.ethernet;

import org.jspecify.annotations.NullMarked;
