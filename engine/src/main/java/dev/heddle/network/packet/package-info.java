/** The packet network: units, queues, credits and arbitration in discrete events. Not for plug-ins. */
@NullMarked
package dev.heddle.network.packet;

import org.jspecify.annotations.NullMarked;
