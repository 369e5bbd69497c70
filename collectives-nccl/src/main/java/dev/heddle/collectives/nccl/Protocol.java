package dev.heddle.collectives.nccl;

import java.util.Arrays;
import java.util.List;

/** How data and the news of its arrival travel together. */
public enum Protocol {
  /** Four bytes of data beside each four of flag: least latency, half the bandwidth. */
  LL("LL"),
  /** 120 bytes of data in each 128: needs that 128-byte stores are not torn, as over NVLink. */
  LL128("LL128"),
  /** Whole slices, then a flag. */
  SIMPLE("Simple");

  private final String title;

  Protocol(String title) {
    this.title = title;
  }

  /** The name in NCCL_PROTO and in NCCL's log. */
  public String title() {
    return title;
  }

  /** All names. */
  public static List<String> titles() {
    return Arrays.stream(values()).map(Protocol::title).toList();
  }
}
