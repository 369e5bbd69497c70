package dev.heddle.network.packet;

import dev.heddle.spi.TransportProtocol;
import org.jspecify.annotations.Nullable;

/**
 * Options of a run of the packet network.
 *
 * @param trainBytes the most payload of a train; 0: every packet is a unit of its own
 * @param injectionQueue messages that a rank's injection queue holds
 * @param windowStartPs when the measured window begins
 * @param windowEndPs when it ends, and with it the run; {@link Long#MAX_VALUE} to run to completion
 * @param limitPs simulated time after which a run to completion is given up
 * @param partitions parts that own their state
 * @param threads that run them
 * @param seed of all random streams
 * @param transport protocol between terminals; null for links that are lossless by credits alone
 */
public record PacketSettings(
    int trainBytes,
    int injectionQueue,
    long windowStartPs,
    long windowEndPs,
    long limitPs,
    int partitions,
    int threads,
    long seed,
    @Nullable TransportProtocol transport) {}
