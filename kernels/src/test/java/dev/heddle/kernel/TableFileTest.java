package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.RandomStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the compact format to give back the written rows, and to refuse damaged files with one message. */
class TableFileTest {
  @Test
  void shouldGiveBackRowsToTheStatedPrecision() {
    KernelTable table = Grids.products(Grids::simple);
    KernelTable read = TableFile.read("made-up", TableFile.write(table), Grids.GPUS);
    assertThat(read.id()).isEqualTo(table.id());
    assertThat(read.provenance()).isEqualTo(table.provenance());
    assertThat(read.rows()).isEqualTo(table.rows());
    assertThat(read.resources().orElseThrow().coefficients())
        .isEqualTo(table.resources().orElseThrow().coefficients());
    assertThat(read.error().resources()).isEqualTo(table.error().resources());
    for (int row = 0; row < table.rows(); row++) {
      double there = read.lookup().seconds(table.shape(row));
      assertThat(there).isCloseTo(table.measured(row), within(1.3e-4 * table.measured(row)));
    }
  }

  // A folder stands where the second table has its file: the first one stays as it was, and nothing else is left.
  @Test
  void shouldWriteAllTablesOrNone(@TempDir Path folder) throws IOException {
    KernelTable table = Grids.products(Grids::simple);
    TableWriter.write(folder, List.of(table));
    Path file = onlyTable(folder);
    byte[] before = Files.readAllBytes(file);
    TableId id = table.id();
    KernelTable other = KernelTable.of(Grids.GPUS.get(id.gpu()), new TableId(id.gpu(), id.kind(), id.format(), "other"),
        table.provenance(), table.shape(0), new double[] {table.measured(0)});
    Files.createDirectory(folder.resolve(file.getFileName().toString().replace(id.variant(), "other")));
    KernelTable part = table.part(row -> row % 2 == 0);
    assertThatThrownBy(() -> TableWriter.write(folder, List.of(part, other)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(folder + " cannot be written");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).hasSize(3);
    }
  }

  private static Path onlyTable(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(TableWriter.SUFFIX)).findFirst().orElseThrow();
    }
  }

  @Test
  void shouldRefuseDamagedFilesWithOneMessage() {
    byte[] good = TableFile.write(Grids.products(Grids::simple));
    RandomStream random = RandomStream.of(3, "damage", "bytes");
    for (int i = 0; i < 300; i++) {
      byte[] bad = i % 3 == 0 ? Arrays.copyOf(good, random.nextInt(good.length)) : good.clone();
      if (i % 3 != 0) {
        bad[random.nextInt(bad.length)] ^= (byte) (1 + random.nextInt(255));
      }
      int number = i;
      try {
        TableFile.read("file", bad, Grids.GPUS);
      } catch (InvalidSettingException e) {
        assertThat(e.getMessage()).as("case %d", number).isNotBlank();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, NaN", "1, 0", "1, -2", "2, 1.5", "3, Infinity", "5, 0", "5, NaN"})
  void shouldRefuseFiguresOfTheErrorThatCannotBe(int figure, float value) throws IOException {
    byte[] plain = new GZIPInputStream(new ByteArrayInputStream(TableFile.write(Grids.products(Grids::simple))))
        .readAllBytes();
    ByteBuffer.wrap(plain).putFloat(firstFigure(plain) + 4 * figure, value);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(plain);
    }
    assertThatThrownBy(() -> TableFile.read("mine/bad.hkt", bytes.toByteArray(), Grids.GPUS))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContainingAll("mine/bad.hkt", "damaged", "no possible");
  }

  /** The place of the first of six figures behind the magic number and eight texts, each behind its length. */
  private static int firstFigure(byte[] plain) {
    int at = 4;
    for (int text = 0; text < 8; text++) {
      at += 2 + ByteBuffer.wrap(plain).getShort(at);
    }
    return at;
  }

  @Test
  void shouldSayThatFilesOfTheEarlierFormatAreToBeConvertedAgain() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write("HKT1".getBytes(StandardCharsets.US_ASCII));
    }
    assertThatThrownBy(() -> TableFile.read("mine/old.hkt", bytes.toByteArray(), Grids.GPUS))
        .isInstanceOf(InvalidSettingException.class).hasMessageContainingAll("mine/old.hkt", "earlier", "convert");
  }

  @Test
  void shouldReadFoldersThatWereWritten(@TempDir Path folder) throws IOException {
    TableWriter.write(folder, List.of(Grids.products(Grids::simple)));
    KernelSource source = TableWriter.folder(folder, Grids.GPUS);
    assertThat(source.tables()).containsExactly(Grids.PRODUCTS);
    assertThat(source.open(Grids.PRODUCTS).rows()).isEqualTo(125);
    Path file = folder.resolve("h100-sxm-gemm-bf16-made-up.hkt");
    Files.write(file, new byte[] {1, 2, 3});
    assertThatThrownBy(() -> source.open(Grids.PRODUCTS)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("damaged");
    Files.delete(file);
    assertThatThrownBy(() -> source.open(Grids.PRODUCTS)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("there is no");
  }

  @Test
  void shouldFitIntoFiveMebibytesAllTogether() throws IOException {
    try (var files = Files.list(Path.of("src/main/resources/dev/heddle/kernel/tables"))) {
      assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThan(5 << 20);
    }
  }
}
