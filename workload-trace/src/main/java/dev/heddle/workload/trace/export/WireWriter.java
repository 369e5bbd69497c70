package dev.heddle.workload.trace.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes a protobuf message, field by field. */
final class WireWriter {
  private static final int VARINT = 0;
  private static final int BYTES = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private WireWriter varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
    return this;
  }

  /** A whole number that is not negative; 0 is written too. */
  WireWriter number(int field, long value) {
    return varint((long) field << 3 | VARINT).varint(value);
  }

  WireWriter text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  WireWriter message(int field, WireWriter inner) {
    return bytes(field, inner.out.toByteArray());
  }

  /** Whole numbers, packed. */
  WireWriter numbers(int field, int[] values) {
    if (values.length == 0) {
      return this;
    }
    WireWriter packed = new WireWriter();
    for (int value : values) {
      packed.varint(value);
    }
    return message(field, packed);
  }

  private WireWriter bytes(int field, byte[] bytes) {
    varint((long) field << 3 | BYTES).varint(bytes.length);
    out.write(bytes, 0, bytes.length);
    return this;
  }

  /** Writes the message after its length. */
  void writeTo(OutputStream file) throws IOException {
    WireWriter length = new WireWriter().varint(out.size());
    length.out.writeTo(file);
    out.writeTo(file);
  }
}
