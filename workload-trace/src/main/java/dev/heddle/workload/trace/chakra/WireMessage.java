package dev.heddle.workload.trace.chakra;

import dev.heddle.workload.trace.graph.TraceException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.LongConsumer;

/** Walks the fields of a protobuf message in its wire format. */
final class WireMessage {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;
  private static final WireMessage NONE = new WireMessage("", new byte[0], -1);

  private final String file;
  private final byte[] bytes;
  private final long begin;
  private int at;
  private final int end;
  private int field;
  private int wireType;

  WireMessage(String file, byte[] bytes, long begin) {
    this(file, bytes, begin, 0, bytes.length);
  }

  private WireMessage(String file, byte[] bytes, long begin, int from, int to) {
    this.file = file;
    this.bytes = bytes;
    this.begin = begin;
    at = from;
    end = to;
  }

  /** The message that stands for the end of a file. */
  static WireMessage none() {
    return NONE;
  }

  /** Goes to the next field; false at the end of the message. */
  boolean next() {
    if (at == end) {
      return false;
    }
    long key = varint();
    field = (int) (key >>> 3);
    wireType = (int) key & 7;
    if (key < 0 || key >>> 3 > (1 << 29) - 1 || field == 0) {
      throw fail("no field has the number " + Long.toUnsignedString(key >>> 3));
    }
    return true;
  }

  /** The present field's number. */
  int field() {
    return field;
  }

  /** The value of a whole number, as 64 bits. */
  long number() {
    switch (wireType) {
      case VARINT :
        return varint();
      case FIXED_64 :
        return buffer(8).getLong();
      case FIXED_32 :
        return buffer(4).getInt();
      default :
        throw fail("field " + field + " must be a number");
    }
  }

  /** The bits of a number of fixed length, 0 above where it has 32. */
  long bits() {
    return wireType == FIXED_32 ? Integer.toUnsignedLong(buffer(4).getInt()) : number();
  }

  /** Whole numbers, packed or each a field of its own. */
  void numbers(LongConsumer each) {
    if (wireType != BYTES) {
      each.accept(number());
      return;
    }
    WireMessage packed = message();
    while (packed.at < packed.end) {
      each.accept(packed.varint());
    }
  }

  /** A text; bytes that are no UTF-8 are replaced. */
  String text() {
    WireMessage inner = message();
    return new String(bytes, inner.at, inner.end - inner.at, StandardCharsets.UTF_8);
  }

  /** A message within. */
  WireMessage message() {
    if (wireType != BYTES) {
      throw fail("field " + field + " must hold bytes");
    }
    int length = length();
    WireMessage inner = new WireMessage(file, bytes, begin, at, at + length);
    at += length;
    return inner;
  }

  /** Passes the present field's value. */
  void skip() {
    switch (wireType) {
      case VARINT :
        varint();
        break;
      case FIXED_64 :
        buffer(8);
        break;
      case FIXED_32 :
        buffer(4);
        break;
      case BYTES :
        message();
        break;
      default :
        throw fail("field " + field + " has the wire type " + wireType + ", which protobuf 3 does not have");
    }
  }

  private int length() {
    long length = varint();
    if (length < 0 || length > end - at) {
      throw fail("field " + field + " would have " + Long.toUnsignedString(length) + " bytes, but " + (end - at)
          + " are left of its message");
    }
    return (int) length;
  }

  private ByteBuffer buffer(int length) {
    if (end - at < length) {
      throw fail("field " + field + " is cut");
    }
    at += length;
    return ByteBuffer.wrap(bytes, at - length, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) {
        throw fail("a number is cut");
      }
      byte part = bytes[at++];
      value |= (long) (part & 0x7f) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw fail("a number has more than 64 bits");
  }

  /** An exception with file and byte. */
  TraceException fail(String message) {
    return new TraceException(file + ": byte " + (begin + at) + ": " + message);
  }
}
