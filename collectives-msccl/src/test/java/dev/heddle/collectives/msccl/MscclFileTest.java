package dev.heddle.collectives.msccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.TransportModel;
import dev.heddle.collective.Verifier;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.TextbookAlgorithms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MscclFileTest {
  @TempDir
  private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("algorithm.xml"), text);
  }

  @ParameterizedTest
  @MethodSource("dev.heddle.testkit.fixture.TextbookAlgorithms#schedules")
  void shouldBeProvedAndCountAlikeWhenWrittenAsMscclAndRead(Schedule schedule) throws IOException {
    MscclFile read = MscclFile.read(file(MscclWriter.write(schedule)));
    Schedule back = read.schedule(schedule.collective());
    assertThat(Verifier.withWindow(8).verify(back).findings()).isEmpty();
    ScheduleCounts counts = ScheduleCounts.of(back);
    ScheduleCounts expected = ScheduleCounts.of(schedule);
    for (int rank = 0; rank < schedule.ranks(); rank++) {
      assertThat(counts.messages(rank)).isEqualTo(expected.messages(rank));
    }
    assertThat(MscclWriter.write(back)).as("written again").isEqualTo(MscclWriter.write(schedule));
  }

  @Test
  void shouldServeWhatItIsMadeForWhenAlgorithmIsFile() throws IOException {
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 5, 1000);
    Path path = file(MscclWriter.write(TextbookAlgorithms.request(collective).schedule(TextbookAlgorithms.ring(2))));
    CollectiveAlgorithm algorithm =
        new MscclAlgorithmProvider().create(MscclAlgorithmProvider.Settings.of(path));
    assertThat(TextbookAlgorithms.request(collective).verdict(algorithm).proved()).isTrue();
    assertThat(TextbookAlgorithms.request(collective).verdict(algorithm).rounds()).isEqualTo(8);
    assertThatThrownBy(
        () -> TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 6, 1000)).schedule(algorithm))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("does all_reduce on 5 ranks, not");
  }

  @Test
  void shouldRefuseWhenFileIsNotProved() throws IOException {
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 2, 1000);
    String broken =
        MscclWriter.write(TextbookAlgorithms.request(collective).schedule(TextbookAlgorithms.recursiveDoubling()))
            .replace("type=\"rrc\"", "type=\"r\"");
    CollectiveAlgorithm algorithm =
        new MscclAlgorithmProvider().create(MscclAlgorithmProvider.Settings.of(file(broken)));
    assertThatThrownBy(() -> TextbookAlgorithms.request(collective).schedule(algorithm))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("missing: chunk 0 of rank");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      <algo name="x" | is no whole, well-formed XML
      <topo/> | the root must be <algo>, but is <topo>
      <!DOCTYPE algo [<!ENTITY e SYSTEM "file:///etc/hostname">]><algo name="&e;"/> | entities are not allowed
      <algo name="x" coll="&e;"/> | is no whole, well-formed XML
      <algo name="x" coll="sum"/> | coll is 'sum'; it must be one of allreduce
      <algo name="x" coll="allreduce" ngpus="two"/> | ngpus is 'two', which is no whole number
      <algo name="x" coll="allreduce" ngpus="0"/> | ngpus is 0, but must be 1 to
      <algo name="x" coll="allreduce"/> | <algo> lacks the attribute ngpus
      """)
  void shouldSayWhatIsWrongWhenFileIsNoMscclAlgorithm(String text, String message) throws IOException {
    Path path = file(text);
    assertThatThrownBy(() -> MscclFile.read(path)).isInstanceOf(ScheduleFormatException.class)
        .hasMessageContaining("algorithm.xml").hasMessageContaining(message);
  }

  @Test
  void shouldSayWhereWhenStepCannotBe() throws IOException {
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 2, 1000);
    String text =
        MscclWriter.write(TextbookAlgorithms.request(collective).schedule(TextbookAlgorithms.recursiveDoubling()));
    MscclFile outside = MscclFile.read(file(text.replaceFirst("cnt=\"1\"", "cnt=\"7\"")));
    assertThatThrownBy(() -> outside.schedule(collective)).isInstanceOf(ScheduleFormatException.class)
        .hasMessageContaining("line 4").hasMessageContaining("outside its buffer of 1 chunks");
    Path truncated = file(text.substring(0, text.length() / 2));
    assertThatThrownBy(() -> MscclFile.read(truncated)).hasMessageContaining("is no whole, well-formed XML");
    assertThatThrownBy(() -> MscclFile.read(folder.resolve("none.xml"))).hasMessageContaining("no such file");
  }

  @Test
  void shouldSayThatBytesAreNoTextWhenAnXmlFileHoldsOthers() throws IOException {
    Path bytes = Files.write(folder.resolve("bytes.xml"), new byte[] {'<', 'a', ' ', 'b', '=', '"', -1, '"', '/', '>'});
    assertThatThrownBy(() -> MscclFile.read(bytes)).hasMessageContaining("bytes.xml: is no text of UTF-8")
        .hasMessageNotContaining("java.");
  }

  private static String ring() {
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 4, 4096);
    return MscclWriter.write(TextbookAlgorithms.request(collective).schedule(TextbookAlgorithms.ring(1)));
  }

  private CollectiveAlgorithm algorithm(String text) throws IOException {
    return new MscclAlgorithmProvider().create(MscclAlgorithmProvider.Settings.of(file(text)));
  }

  @ParameterizedTest
  @CsvSource({"LL, 8192, 6600000, 600000", "LL128, 4480, 14000000, 1900000", "Simple, 4096, 8400000, 3400000"})
  void shouldTakeLinesAndTimesOfTheFilesProtocol(String name, long wireBytes, long startPs, long hopPs)
      throws IOException {
    String text = ring().replaceFirst("proto=\"[^\"]*\"", "proto=\"" + name + "\"");
    CollectiveAlgorithm algorithm = algorithm(text);
    TransportModel transport =
        TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 4, 4096)).schedule(algorithm).protocol();
    assertThat(transport.wireBytes(4096)).isEqualTo(wireBytes);
    assertThat(transport.costs().startPs()).isEqualTo(startPs);
    assertThat(transport.costs().hopPs()).isEqualTo(hopPs);
  }

  @Test
  void shouldRefuseAProtocolThatNcclDoesNotHave() {
    assertThatThrownBy(() -> algorithm(ring().replaceFirst("proto=\"[^\"]*\"", "proto=\"LL64\"")))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("it must be Simple, LL or LL128");
  }

  @ParameterizedTest
  @CsvSource({"1023, false", "1024, true", "1048575, true", "1048576, false"})
  void shouldRefuseSizesOutsideTheFilesRange(long bytes, boolean served) throws IOException {
    CollectiveAlgorithm algorithm =
        algorithm(ring().replace("<algo ", "<algo minBytes=\"1024\" maxBytes=\"1048575\" "));
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 4, bytes);
    if (served) {
      assertThat(TextbookAlgorithms.request(collective).schedule(algorithm).collective()).isEqualTo(collective);
      return;
    }
    assertThatThrownBy(() -> TextbookAlgorithms.request(collective).schedule(algorithm))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("is meant for 1024 B to 1048575 B");
  }

  @ParameterizedTest
  @CsvSource({"i_chunks, 7", "o_chunks, 3"})
  void shouldRefuseChunkCountsThatContradictTheOperation(String attribute, int chunks) throws IOException {
    String text = ring().replaceFirst(attribute + "=\"4\"", attribute + "=\"" + chunks + "\"");
    assertThat(text).isNotEqualTo(ring());
    MscclFile read = MscclFile.read(file(text));
    assertThatThrownBy(() -> read.schedule(Collective.of(CollectiveOp.ALL_REDUCE, 4, 4096)))
        .isInstanceOf(ScheduleFormatException.class)
        .hasMessageContaining("gpu 0: " + attribute + " is " + chunks + ", but all_reduce on 4 ranks");
  }
}
