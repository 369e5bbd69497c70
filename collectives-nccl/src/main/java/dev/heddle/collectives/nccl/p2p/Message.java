package dev.heddle.collectives.nccl.p2p;

import dev.heddle.collectives.nccl.Protocol;

/**
 * A message of send and receive as NCCL sends it.
 *
 * @param channels number of channels over which it is divided
 * @param partBytes size on each channel but the last, which may have fewer
 * @param chunkBytes size of a step
 * @param protocol LL or Simple
 */
public record Message(int channels, long partBytes, int chunkBytes, Protocol protocol) {}
