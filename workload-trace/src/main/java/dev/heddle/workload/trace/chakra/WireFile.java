package dev.heddle.workload.trace.chakra;

import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A file of protobuf messages, each after its length as a base-128 number. */
final class WireFile {
  /** The most bytes of a message. */
  static final int LARGEST = 1 << 26;

  private final String name;
  private final InputStream in;
  private long position;

  WireFile(String name, InputStream in) {
    this.name = name;
    this.in = in;
  }

  /** The next message, with no bytes left at the end of the file. */
  WireMessage next() {
    try {
      long begin = position;
      int first = in.read();
      if (first < 0) {
        return WireMessage.none();
      }
      long length = length(begin, first);
      byte[] bytes = in.readNBytes((int) length);
      if (bytes.length < length) {
        throw fail(begin, "a message of " + length + " bytes begins, but only " + bytes.length + " follow");
      }
      WireMessage message = new WireMessage(name, bytes, position);
      position += length;
      return message;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long length(long begin, int first) throws IOException {
    long value = 0;
    int part = first;
    int shift = 0;
    while (true) {
      position++;
      value |= (long) (part & 0x7f) << shift;
      if (part < 0x80) {
        break;
      }
      shift += 7;
      part = shift > 28 ? -1 : in.read();
      if (part < 0) {
        throw fail(begin, "here must be the length of a message: a base-128 number of 32 bits");
      }
    }
    if (value > LARGEST) {
      throw fail(begin, "a message would have " + value + " bytes; at most " + LARGEST + " are read");
    }
    return value;
  }

  private TraceException fail(long at, String message) {
    return new TraceException(name + ": byte " + at + ": " + message);
  }
}
