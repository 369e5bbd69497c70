package dev.heddle.workload.trace.graph;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens files that other tools wrote, compressed by gzip or not. */
public final class TraceFile {
  private static final int MAGIC = 0x1f8b;

  private TraceFile() {}

  /**
   * Makes something of a file's bytes.
   *
   * @param <T> what is made
   */
  public interface Reader<T> {
    /** Reads; what is wrong is a {@link TraceException}. */
    T read(String name, InputStream in);
  }

  /**
   * Reads a file.
   *
   * @throws TraceException when it cannot be read, or holds what it should not
   */
  public static <T> T read(Path file, Reader<T> reader) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      in.mark(2);
      boolean compressed = (in.read() << 8 | in.read()) == MAGIC;
      in.reset();
      return reader.read(file.toString(), compressed ? new GZIPInputStream(in, 1 << 16) : in);
    } catch (IOException e) {
      throw unreadable(file, e);
    } catch (UncheckedIOException e) {
      IOException cause = e.getCause();
      throw unreadable(file, cause == null ? new IOException(e) : cause);
    }
  }

  private static TraceException unreadable(Path file, IOException e) {
    return new TraceException(file + ": cannot be read: "
        + (Files.notExists(file) ? "there is no such file"
            : e.getMessage() == null ? "it ends too early" : e.getMessage()));
  }
}
