/** Xe-Link and MDFI, which join the tiles of Intel's accelerators, and nodes built with them. */
@NullMarked
package dev.heddle.link.xelink;

import org.jspecify.annotations.NullMarked;
