/** The open world: providers and products of links, switches, topologies and workloads. */
@NullMarked
package dev.heddle.spi;

import org.jspecify.annotations.NullMarked;
