package dev.heddle.spi;

/**
 * Credits by which a receiver paces its senders. A sender starts with speculative credit; afterwards every packet needs
 * credit that the receiver's pacer grants, in turn to all senders that have asked for it.
 *
 * @param bytesPerGrant credit that one grant carries, in bytes on the wire, at least 1
 * @param rateShare share of the receiver's line rate at which credit is granted, above 0 and at most 1
 * @param speculativeBytes credit of a new connection, in bytes
 * @param outstandingBytes most bytes that a sender asks for ahead of what it has sent
 */
public record ReceiverCredits(long bytesPerGrant, double rateShare, long speculativeBytes, long outstandingBytes) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when one is out of range
   */
  public ReceiverCredits {
    if (bytesPerGrant < 1 || !(rateShare > 0) || rateShare > 1 || speculativeBytes < 0 || outstandingBytes < 1) {
      throw new IllegalArgumentException("no receiver grants " + bytesPerGrant + " bytes at " + rateShare
          + " of its rate, after " + speculativeBytes + " bytes, of " + outstandingBytes);
    }
  }
}
