/** Tests of Xe-Link, MDFI and the nodes built with them. */
@NullMarked
package dev.heddle.link.xelink;

import org.jspecify.annotations.NullMarked;
