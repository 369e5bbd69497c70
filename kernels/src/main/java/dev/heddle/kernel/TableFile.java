package dev.heddle.kernel;

import dev.heddle.spi.InvalidSettingException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The compact format of a table: a header in UTF-8, then columns of sizes as numbers of their different values, then
 * logarithms of times in steps of 1/{@value #STEPS}, each as the difference from the row before, all in gzip. A time is
 * kept to 0.013 %, far below the repeatability of a measurement. Rows are sorted with the first size running
 * fastest, along which times differ least.
 */
final class TableFile {
  private static final int MAGIC = 0x484b5432;
  /** Of files without the resources of their table. */
  private static final int EARLIER_MAGIC = 0x484b5431;
  private static final int STEPS = 4096;
  /** Rows of a table that is read: of eight sizes they take 256 MB, which a damaged count must not exceed. */
  private static final int MOST_ROWS = 4_000_000;
  private static final double PICOSECOND = 1e-12;

  private TableFile() {}

  /** Writes a table. */
  static byte[] write(KernelTable table) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(bytes))) {
      out.writeInt(MAGIC);
      TableId id = table.id();
      Provenance from = table.provenance();
      for (String text : new String[] {id.gpu(), id.kind().id(), id.format().id(), id.variant(), from.source(),
          from.licence(), from.software(), from.changes()}) {
        out.writeUTF(text);
      }
      TableError error = table.error();
      for (double figure : new double[] {
          error.repeat(), error.stretch(), error.resources(), error.mean(), error.upper(), error.spread()}) {
        out.writeFloat((float) figure);
      }
      double[] coefficients = table.resources().map(DemandFit::coefficients).orElse(new double[0]);
      out.writeByte(coefficients.length);
      for (double coefficient : coefficients) {
        out.writeDouble(coefficient);
      }
      out.writeDouble(table.resources().map(DemandFit::error).orElse(0.0));
      writeRows(table, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void writeRows(KernelTable table, DataOutputStream out) throws IOException {
    int width = table.id().kind().sizes().size();
    long[][] shapes = IntStream.range(0, table.rows()).mapToObj(table::shape).toArray(long[][]::new);
    int[] rows = KernelTable.inOrder(Arrays.stream(shapes).flatMapToLong(Arrays::stream).toArray(),
        IntStream.range(0, shapes.length).mapToDouble(table::measured).toArray());
    writeNumber(out, rows.length);
    for (int i = 0; i < width; i++) {
      int column = i;
      long[] values = Arrays.stream(rows).mapToLong(row -> shapes[row][column]).sorted().distinct().toArray();
      writeNumber(out, values.length);
      long before = 0;
      for (long value : values) {
        writeNumber(out, value - before);
        before = value;
      }
      for (int row : rows) {
        writeNumber(out, Arrays.binarySearch(values, shapes[row][column]));
      }
    }
    long before = 0;
    for (int row : rows) {
      long step = step(table.measured(row));
      long difference = step - before;
      writeNumber(out, difference << 1 ^ difference >> 63);
      before = step;
    }
  }

  private static long step(double seconds) {
    return Math.round(STEPS * Math.log(seconds / PICOSECOND));
  }

  private static double ofStep(long step) {
    return PICOSECOND * Math.exp((double) step / STEPS);
  }

  /** A time as a file keeps it. */
  static double kept(double seconds) {
    return ofStep(step(seconds));
  }

  private static void writeNumber(DataOutputStream out, long value) throws IOException {
    long rest = value;
    while (rest >>> 7 != 0) {
      out.writeByte((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }

  /**
   * Reads a table.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException when it is no table, or damaged
   */
  static KernelTable read(String name, byte[] bytes, GpuCatalog gpus) {
    try (DataInputStream in = new DataInputStream(new GZIPInputStream(new ByteArrayInputStream(bytes), 1 << 16))) {
      int magic = in.readInt();
      if (magic == EARLIER_MAGIC) {
        throw new InvalidSettingException("", name + " has an earlier format of tables; convert the files that it was"
            + " made of again, by 'heddle kernels convert'");
      }
      if (magic != MAGIC) {
        throw new InvalidSettingException("", name + " is no table of kernels");
      }
      GpuSpec gpu = gpus.get(in.readUTF());
      TableId id = new TableId(gpu.id(), KernelKind.of(in.readUTF()), NumberFormat.of(in.readUTF()), in.readUTF());
      Provenance from = new Provenance(in.readUTF(), in.readUTF(), in.readUTF(), in.readUTF());
      KernelTable.Fits fits = readFits(in, gpu, id);
      int width = id.kind().sizes().size();
      byte[] rest = in.readAllBytes();
      Numbers numbers = new Numbers(rest);
      int rows = numbers.count(MOST_ROWS);
      long[] shapes = new long[rows * width];
      for (int column = 0; column < width; column++) {
        readColumn(numbers, shapes, rows, width, column);
      }
      double[] seconds = new double[rows];
      long step = 0;
      for (int row = 0; row < rows; row++) {
        long zigzag = numbers.next();
        step += zigzag >>> 1 ^ -(zigzag & 1);
        seconds[row] = ofStep(step);
      }
      return KernelTable.checked(gpu, id, from, shapes, seconds, fits);
    } catch (IOException | IndexOutOfBoundsException | NegativeArraySizeException e) {
      throw new InvalidSettingException("", name + " is damaged or no table of kernels: " + e.getMessage());
    }
  }

  private static KernelTable.Fits readFits(DataInputStream in, GpuSpec gpu, TableId id) throws IOException {
    TableError error = new TableError(in.readFloat(), in.readFloat(), in.readFloat(), in.readFloat(), in.readFloat(),
        in.readFloat());
    if (!error.isPossible()) {
      throw new IOException("no possible " + error);
    }
    double[] coefficients = new double[in.readUnsignedByte()];
    for (int i = 0; i < coefficients.length; i++) {
      coefficients[i] = in.readDouble();
    }
    double unexplained = in.readDouble();
    if (!(unexplained >= 0 && Double.isFinite(unexplained))) {
      throw new IOException("an error of " + unexplained + " of the resources");
    }
    if (coefficients.length == 0 && error.resources() == 0) {
      return new KernelTable.Fits(error, null);
    }
    double[] sizes = new double[id.kind().sizes().size()];
    Arrays.fill(sizes, 1);
    int wanted = Demands.of(gpu, id.kind(), id.format(), id.variant(), sizes).coefficients();
    if (coefficients.length != wanted || !Arrays.stream(coefficients).allMatch(each -> each > 0 && each < 1e30)) {
      throw new IOException(coefficients.length + " coefficients where " + wanted + " above 0 are needed");
    }
    return new KernelTable.Fits(error, DemandFit.known(coefficients, unexplained));
  }

  private static void readColumn(Numbers numbers, long[] shapes, int rows, int width, int column) {
    long[] values = new long[numbers.count(rows)];
    long value = 0;
    for (int i = 0; i < values.length; i++) {
      value += numbers.next();
      values[i] = value;
    }
    for (int at = column; at < rows * width; at += width) {
      long which = numbers.next();
      if (which < 0 || which >= values.length) {
        throw new IndexOutOfBoundsException("a number " + which + " of " + values.length + " sizes");
      }
      shapes[at] = values[(int) which];
    }
  }

  /** Numbers of seven bits a byte. */
  private static final class Numbers {
    private final byte[] bytes;
    private int at;

    Numbers(byte[] bytes) {
      this.bytes = bytes;
    }

    long next() {
      byte part = bytes[at++];
      if (part >= 0) {
        return part;
      }
      long value = part & 0x7f;
      int shift = 7;
      do {
        part = bytes[at++];
        value |= (long) (part & 0x7f) << shift;
        shift += 7;
      } while (part < 0 && shift < 64);
      return value;
    }

    int count(int most) {
      long value = next();
      if (value < 0 || value > most) {
        throw new IndexOutOfBoundsException("a count of " + value + " where at most " + most + " is possible");
      }
      return (int) value;
    }
  }
}
