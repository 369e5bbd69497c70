package dev.heddle.text;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The byte order mark of UTF-8, with which some editors begin a file. */
public final class ByteOrderMark {
  private static final byte[] BYTES = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  private ByteOrderMark() {}

  /** A buffered stream of the bytes behind the mark, or of all where none stands at their begin. */
  public static InputStream skip(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in, 1 << 16);
    buffered.mark(BYTES.length);
    if (!Arrays.equals(buffered.readNBytes(BYTES.length), BYTES)) {
      buffered.reset();
    }
    return buffered;
  }

  /** The text behind the mark, or all of it where none stands at its begin. */
  public static String skip(String text) {
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }
}
