/** The immutable graph of devices and links, composed of tiers, with its routing. */
@NullMarked
package dev.heddle.fabric;

import org.jspecify.annotations.NullMarked;
