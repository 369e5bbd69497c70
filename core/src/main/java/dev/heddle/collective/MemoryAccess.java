package dev.heddle.collective;

import java.util.Locale;

/**
 * What a message does to the memories at its ends: how often the sender's is read and the receiver's written for each
 * byte [Neuron, KangaRing AllGather and ReduceScatter]. Its position is the traffic class of such messages where memories
 * are part of the fabric.
 */
public enum MemoryAccess {
  /** Read once, written once: what a message does unless stated otherwise. */
  COPY(1, 1),
  /** Two operands read, their sum written. */
  SUM(2, 1),
  /** Written only: the read of another message serves this one too. */
  DUPLICATE(0, 1),
  /** Read only: the receiver adds it to something that another message writes. */
  OPERAND(1, 0),
  /** Three operands read, their sum written. */
  SUM_OF_THREE(3, 1),
  /** Four operands read, their sum written. */
  SUM_OF_FOUR(4, 1),
  /** Five operands read, their sum written. */
  SUM_OF_FIVE(5, 1),
  /** Neither read nor written: another message has the reads of these data, and this one only says that they are there. */
  NONE(0, 0);

  /** The most operands whose sum one message carries. */
  public static final int MOST_OPERANDS = 5;

  private static final MemoryAccess[] ALL = values();

  private final int reads;
  private final int writes;

  MemoryAccess(int reads, int writes) {
    this.reads = reads;
    this.writes = writes;
  }

  /** How often the sender's memory is read for each byte. */
  public int reads() {
    return reads;
  }

  /** How often the receiver's memory is written for each byte. */
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

  /** The document's short form, such as {@code 1r1w}. */
  public String key() {
    return String.format(Locale.ROOT, "%dr%dw", reads, writes);
  }
}
