package dev.heddle.collective;

import java.util.Locale;

/**
 * The memory accesses of a message: the number of reads of the sender's memory and of writes to the receiver's for each
 * byte, as a DMA engine's descriptors state them. Where memories are part of the fabric, the ordinal is the traffic
 * class of such messages, by which the bus of a memory counts its transfers.
 */
public enum MemoryAccess {
  /** Read once, written once: the default of a message. */
  COPY(1, 1),
  /** Two operands read, their sum written. */
  SUM(2, 1),
  /** Written only: the read of another message serves this one too. */
  DUPLICATE(0, 1),
  /** Read only: the receiver adds it to data that another message writes. */
  OPERAND(1, 0),
  /** Three operands read, their sum written. */
  SUM_OF_THREE(3, 1),
  /** Four operands read, their sum written. */
  SUM_OF_FOUR(4, 1),
  /** Five operands read, their sum written. */
  SUM_OF_FIVE(5, 1),
  /**
   * Neither read nor written: another message accounts for the reads of these data, and this one only signals that they
   * are present.
   */
  NONE(0, 0);

  /** The largest number of operands whose sum one message carries. */
  public static final int MOST_OPERANDS = 5;

  private static final MemoryAccess[] ALL = values();

  private final int reads;
  private final int writes;

  MemoryAccess(int reads, int writes) {
    this.reads = reads;
    this.writes = writes;
  }

  /** The reads of the sender's memory for each byte. */
  public int reads() {
    return reads;
  }

  /** The writes to the receiver's memory for each byte. */
  public int writes() {
    return writes;
  }

  /** The traffic class of such messages. */
  public int trafficClass() {
    return ordinal();
  }

  /**
   * The access of a traffic class.
   *
   * @param trafficClass 0 to 7
   */
  public static MemoryAccess ofTrafficClass(int trafficClass) {
    return ALL[trafficClass];
  }

  /**
   * The sum of several operands of the sender's.
   *
   * @param operands 1 to {@value #MOST_OPERANDS}
   */
  public static MemoryAccess sumOf(int operands) {
    return switch (operands) {
      case 1 -> COPY;
      case 2 -> SUM;
      case 3, 4, 5 -> ALL[OPERAND.ordinal() + operands - 2];
      default -> throw new IllegalArgumentException("no message carries the sum of " + operands + " operands");
    };
  }

  /** The short form, such as {@code 1r1w}. */
  public String key() {
    return String.format(Locale.ROOT, "%dr%dw", reads, writes);
  }
}
