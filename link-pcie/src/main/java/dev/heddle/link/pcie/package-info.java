/** PCI Express: links of generations 1 to 6 with their protocol, and the trees that they form within a node. */
@NullMarked
package dev.heddle.link.pcie;

import org.jspecify.annotations.NullMarked;
