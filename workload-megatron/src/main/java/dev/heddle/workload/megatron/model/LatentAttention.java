package dev.heddle.workload.megatron.model;

import dev.heddle.spi.Setting;

/**
 * Attention whose keys and values are expanded from a compressed latent vector [DeepSeek-V2 §2.1].
 *
 * @param queryRank size of the latent vector of queries
 * @param keyRank size of the latent vector of keys and values
 * @param ropeSize part of a head's query and key that is rotated; keys share it among heads
 * @param plainSize part of a head's query and key that is not rotated
 * @param valueSize of a head
 */
public record LatentAttention(
    @Setting(value = "size of the latent vector of queries", min = "1") int queryRank,
    @Setting(value = "size of the latent vector of keys and values", min = "1") int keyRank,
    @Setting(value = "rotated part of a head's query and key", min = "1") int ropeSize,
    @Setting(value = "part of a head's query and key that is not rotated", min = "1") int plainSize,
    @Setting(value = "a head's value", min = "1") int valueSize) {
  /** Size of a head's query and key. */
  public int keySize() {
    return ropeSize + plainSize;
  }
}
