package dev.heddle.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Function;

/**
 * Reader of another program's text file, line by line, for any content: lines are bounded, bytes are read as Latin-1
 * behind a byte order mark of UTF-8, and every fault is thrown as the caller's own exception, with file and line.
 */
public final class LineReader {
  /** The most bytes of a line. */
  public static final int LONGEST = 1 << 20;

  private final String file;
  private InputStream in;
  private final Function<String, ? extends RuntimeException> exception;
  private final StringBuilder text = new StringBuilder();
  private long line;
  private boolean ended;

  /**
   * Reads from a stream.
   *
   * @param file its name, for messages
   * @param in its bytes; the caller closes it
   * @param exception makes an exception of a message
   */
  public LineReader(String file, InputStream in, Function<String, ? extends RuntimeException> exception) {
    this.file = file;
    this.in = in;
    this.exception = exception;
  }

  /** Moves to the next line; false at the end of the file. */
  public boolean next() {
    text.setLength(0);
    if (ended) {
      return false;
    }
    line++;
    try {
      in = line == 1 ? ByteOrderMark.skip(in) : in;
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean read() throws IOException {
    while (true) {
      int value = in.read();
      if (value < 0) {
        ended = true;
        return text.length() > 0;
      }
      if (value == '\n') {
        return true;
      }
      if (value == 0) {
        throw fail("holds a byte of 0, so the file is no text");
      }
      if (text.length() == LONGEST) {
        throw fail("is longer than " + LONGEST + " bytes");
      }
      if (value != '\r') {
        text.append((char) value);
      }
    }
  }

  /** The present line without its end. */
  public String text() {
    return text.toString();
  }

  /** The present line's number, from 1. */
  public long line() {
    return line;
  }

  /**
   * A whole number within bounds.
   *
   * @param what name of the number, for the message
   * @param token the number as written
   * @param least allowed
   * @param most allowed
   */
  public long number(String what, String token, long least, long most) {
    long value;
    try {
      value = Long.parseLong(token);
    } catch (NumberFormatException e) {
      throw fail(what + " is '" + shown(token) + "', which is no whole number of " + least + " to " + most);
    }
    if (value < least || value > most) {
      throw fail(what + " is " + value + ", but must be " + least + " to " + most);
    }
    return value;
  }

  /** A token for a message: its begin, where it is long. */
  public static String shown(String token) {
    return token.length() <= 40 ? token : token.substring(0, 40) + "...";
  }

  /** The caller's exception, with file and line before the message. */
  public RuntimeException fail(String message) {
    return exception.apply(file + ":" + line + ": " + message);
  }
}
