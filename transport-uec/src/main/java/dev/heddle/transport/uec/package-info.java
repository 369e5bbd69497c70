/**
 * Ultra Ethernet transport: congestion control of senders and receivers, and spraying, as in its reference simulator.
 */
@NullMarked
package dev.heddle.transport.uec;

import org.jspecify.annotations.NullMarked;
