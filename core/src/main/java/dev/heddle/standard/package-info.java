/** Building blocks without a vendor: links, switches, topologies, algorithms of collectives. */
@NullMarked
package dev.heddle.standard;

import org.jspecify.annotations.NullMarked;
