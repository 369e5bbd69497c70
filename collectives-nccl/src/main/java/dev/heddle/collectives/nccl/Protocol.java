package dev.heddle.collectives.nccl;

import java.util.Arrays;
import java.util.List;

/** A protocol of NCCL: the way in which a receiver learns that data have arrived. */
public enum Protocol {
  /** Low latency: each 8-byte line holds 4 bytes of data and 4 bytes of flag, which halves the bandwidth. */
  LL("LL"),
  /**
   * Low latency, 128 bytes: each 128-byte line holds 120 bytes of data. Requires 128-byte stores that arrive as a
   * whole, as over NVLink.
   */
  LL128("LL128"),
  /** A flag after each whole slice of data. */
  SIMPLE("Simple");

  private final String title;

  Protocol(String title) {
    this.title = title;
  }

  /** The name in NCCL_PROTO and in NCCL's log. */
  public String title() {
    return title;
  }

  /** The names of all protocols, in order. */
  public static List<String> titles() {
    return Arrays.stream(values()).map(Protocol::title).toList();
  }
}
