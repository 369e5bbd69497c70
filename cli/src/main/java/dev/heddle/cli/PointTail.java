package dev.heddle.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiConsumer;

/**
 * A reader of a file of points that another worker may be writing: each call reads the lines that have come since the
 * call before. The file is opened anew each time, as network file systems show the writes of other hosts to those who
 * open a file (close-to-open consistency of NFS).
 */
final class PointTail {
  private final Path file;
  private final PointFormat format;
  private long end;
  private int number;

  PointTail(Path file, PointFormat format) {
    this.file = file;
    this.format = format;
  }

  /**
   * Reads the whole lines that are new; a file that does not exist has none.
   *
   * @param settled called with each line, without its line feed, and the point that it settles
   * @throws OutputException when the file holds points of another sweep, is damaged, or cannot be read
   */
  void read(BiConsumer<byte[], PointFormat.Settled> settled) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.size() <= end) {
        return;
      }
      channel.position(end);
      InputStream in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
      for (byte[] line = PointFormat.readLine(in, file); line != null; line = PointFormat.readLine(in, file)) {
        number++;
        end += line.length + 1;
        if (number == 1) {
          format.checkHeader(line, file);
        } else {
          settled.accept(line, PointFormat.settled(line, file, number));
        }
      }
    } catch (NoSuchFileException e) {
      return;
    } catch (IOException e) {
      throw new OutputException(file + ": cannot be read: " + e.getMessage());
    }
  }
}
