package dev.heddle.kernel.exchange;

import java.util.Locale;

/** A constant of the kernels of an exchange. */
public enum ExchangeCost {
  /** Launch, first token and end of a kernel, in us. */
  START(1e-6),
  /** A round of synchronization: for each doubling of ranks or nodes, in us; of low latency once between nodes. */
  HOP(1e-6),
  /** Counters and flags of one expert, in ns. */
  EXPERT(1e-9),
  /** Work of one token whatever its size: of a channel, a block, or the kernel; in ns. */
  TOKEN(1e-9),
  /** Work of a multiprocessor for one copy whatever its size, in ns. */
  COPY(1e-9),
  /** Time for one byte of a copy, of a channel, a block, a queue or of the kernel, in ps. */
  BYTE(1e-12),
  /** Part of the rate of NVLink that the kernel reaches. */
  LINK(1),
  /** Part of the rate of a NIC that the kernel reaches. */
  NETWORK(1);

  private final double unit;

  ExchangeCost(double unit) {
    this.unit = unit;
  }

  /** The unit in seconds; 1 for parts. */
  double unit() {
    return unit;
  }

  /** The name in tables. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
