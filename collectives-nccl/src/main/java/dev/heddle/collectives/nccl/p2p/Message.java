package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.Protocol;

/**
 * How one message is sent.
 *
 * @param channels that it is divided among
 * @param partBytes of it on each channel but the last, which may have fewer
 * @param chunkBytes of a step
 * @param protocol LL or Simple
 */
public record Message(int channels, long partBytes, int chunkBytes, Protocol protocol) {}
