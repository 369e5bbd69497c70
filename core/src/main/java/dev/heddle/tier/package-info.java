/** Plan of one tier of a fabric: its devices, links, and routing tables. */
@NullMarked
package dev.heddle.tier;

import org.jspecify.annotations.NullMarked;
