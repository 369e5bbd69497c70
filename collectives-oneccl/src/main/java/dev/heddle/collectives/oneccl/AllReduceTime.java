package dev.heddle.collectives.oneccl;

/**
 * The seconds of an all_reduce by cause, one part after the other.
 *
 * @param mdfi between the tiles of a GPU
 * @param xeLink between the GPUs of a node
 * @param scaleOut between nodes
 * @param hostCopy between devices and hosts
 * @param reduction adding
 */
public record AllReduceTime(double mdfi, double xeLink, double scaleOut, double hostCopy, double reduction) {
  /** All of it, in seconds. */
  public double seconds() {
    return mdfi + xeLink + scaleOut + hostCopy + reduction;
  }

  /** All of it, in milliseconds. */
  public double millis() {
    return 1e3 * seconds();
  }
}
