package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.text.Unwritable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The settled points of a sweep on disk, in a file of {@link PointFormat}. Each line is forced to the disk before its
 * point counts as finished; a last line that was cut off is dropped. Memory holds a summary of each point; the full
 * results are read from the file when they are needed. Threads may share the store.
 *
 * <p>The file is read through the channel that holds its lock: closing any other descriptor of the file would release
 * the lock of the whole process (POSIX fcntl).
 */
final class PointStore implements AutoCloseable {
  /** The file in the folder of a sweep that holds the points of a run on one machine, or of all workers. */
  static final String FILE = "points.jsonl";

  private final Path file;
  private final FileChannel channel;
  private final PointFormat format;
  private final Map<String, Entry> points = new LinkedHashMap<>();
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final PointSummaries summaries = new PointSummaries();

  /**
   * A finished point.
   *
   * @param offset of its line in bytes
   * @param length of its line in bytes, without the line feed
   * @param summary its results without links, series and histograms
   */
  private record Entry(long offset, int length, Results summary) {}

  private PointStore(Path file, FileChannel channel, PointFormat format) {
    this.file = file;
    this.channel = channel;
    this.format = format;
  }

  /**
   * Opens a file of points, and locks it.
   *
   * @param file to open; made where it does not exist
   * @param format of the sweep
   * @param fresh whether points of an earlier sweep are dropped
   * @throws OutputException when another sweep holds the points, they belong to another scenario, input or build, or
   *     they cannot be read or written
   */
  static PointStore open(Path file, PointFormat format, boolean fresh) {
    return tryOpen(file, format, fresh).orElseThrow(() -> new OutputException(
        file + ": another sweep is writing to it; wait for it, or choose another --out"));
  }

  /**
   * Opens a file of points, and locks it; empty where another sweep holds it.
   *
   * @param file to open; made where it does not exist
   * @param format of the sweep
   * @throws OutputException when it belongs to another scenario, input or build, or cannot be read or written
   */
  static Optional<PointStore> openUnlessInUse(Path file, PointFormat format) {
    return tryOpen(file, format, false);
  }

  private static Optional<PointStore> tryOpen(Path file, PointFormat format, boolean fresh) {
    try {
      FileChannel channel = FileChannel.open(
          file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      PointStore store = new PointStore(file, channel, format);
      try {
        if (!store.lock()) {
          channel.close();
          return Optional.empty();
        }
        if (fresh) {
          channel.truncate(0);
        }
        store.load();
        force(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        return Optional.of(store);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be used: " + e.getMessage());
    }
  }

  /** Summaries of a finished point's results; empty where the point has not finished. */
  synchronized Optional<Results> summary(String key) {
    return Optional.ofNullable(points.get(key)).map(Entry::summary);
  }

  /** Whether the point has finished, or cannot be carried out. */
  synchronized boolean settled(String key) {
    return points.containsKey(key) || failures.containsKey(key);
  }

  /**
   * The full results of a finished point.
   *
   * @throws OutputException when they cannot be read
   */
  Results results(String key) {
    Entry entry;
    synchronized (this) {
      entry = points.get(key);
    }
    if (entry == null) {
      throw new IllegalArgumentException("the point " + key + " has not finished");
    }
    byte[] line = new byte[entry.length()];
    ByteBuffer buffer = ByteBuffer.wrap(line);
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, entry.offset() + buffer.position()) < 0) {
          throw new OutputException(file + ": has become shorter while it was in use");
        }
      }
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be read: " + e.getMessage());
    }
    return PointFormat.results(line, file, 0);
  }

  /**
   * Stores a finished point; it is on the disk when this returns.
   *
   * @throws OutputException when it cannot be written
   */
  void append(ScenarioFile.Point point, Results results) {
    byte[] line = format.finished(point, results);
    synchronized (this) {
      keep(point.key(), append(line, true), line.length - 1, results);
    }
  }

  /**
   * Stores that a point cannot be carried out; it is on the disk when this returns.
   *
   * @throws OutputException when it cannot be written
   */
  void append(ScenarioFile.Point point, String failure) {
    byte[] line = format.failed(point, failure);
    synchronized (this) {
      append(line, true);
      failures.put(point.key(), failure);
    }
  }

  /**
   * Takes in the finished points of another file that this store lacks, as the file has them.
   *
   * @throws OutputException when a file cannot be read or written
   */
  synchronized void take(Path other) {
    new PointTail(other, format).read((line, settled) -> {
      if (settled.failure().isEmpty() && !points.containsKey(settled.key())) {
        byte[] whole = Arrays.copyOf(line, line.length + 1);
        whole[line.length] = '\n';
        keep(settled.key(), append(whole, false), line.length, PointFormat.results(line, other, 0));
      }
    });
    force();
  }

  private void keep(String key, long offset, int length, Results results) {
    points.put(key, new Entry(offset, length, summaries.of(results)));
  }

  private boolean lock() throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private void load() throws IOException {
    long end = 0;
    int number = 0;
    channel.position(0);
    // The stream stays open: closing it would close the channel.
    InputStream in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
    for (byte[] line = PointFormat.readLine(in, file); line != null; line = PointFormat.readLine(in, file)) {
      number++;
      if (number == 1) {
        format.checkHeader(line, file);
      } else {
        PointFormat.Settled settled = PointFormat.settled(line, file, number);
        if (settled.failure().isEmpty()) {
          keep(settled.key(), end, line.length, PointFormat.results(line, file, number));
        } else {
          failures.put(settled.key(), settled.failure());
        }
      }
      end += line.length + 1;
    }
    channel.truncate(end);
    channel.position(end);
    if (end == 0) {
      append(format.header(), true);
    }
  }

  /** Appends a line and returns its offset. */
  private long append(byte[] line, boolean forced) {
    try {
      long offset = channel.size();
      ByteBuffer bytes = ByteBuffer.wrap(line);
      while (bytes.hasRemaining()) {
        channel.write(bytes, offset + bytes.position());
      }
      if (forced) {
        channel.force(true);
      }
      return offset;
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be written: " + Unwritable.reason(file, e));
    }
  }

  private void force() {
    try {
      channel.force(true);
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be written: " + Unwritable.reason(file, e));
    }
  }

  /** Forces the folder's entry for a new file to the disk, where the system can. */
  private static void force(Path folder) {
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    } catch (IOException e) {
      // Some systems cannot open folders; there only the file itself is forced.
      return;
    }
  }

  @Override
  public synchronized void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be closed: " + e.getMessage());
    }
  }
}
