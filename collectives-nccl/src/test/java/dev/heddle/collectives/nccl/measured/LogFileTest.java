package dev.heddle.collectives.nccl.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the readers of logs on samples in the formats of named versions of the tools. */
class LogFileTest {
  private static final String ROW =
      "     1048576        262144     float     sum      -1    40.10   26.15   49.03      0    40.00   26.21   49.15"
          + "      0";

  private static String sample(String name) throws IOException {
    try (InputStream in = LogFileTest.class.getResourceAsStream("/measured/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static LogFile read(String name) throws IOException {
    return LogFile.of(name, sample(name));
  }

  private static CallLog only(LogFile file) {
    assertThat(file.messages()).isEmpty();
    assertThat(file.calls()).hasSize(1);
    return file.calls().get(0);
  }

  @Test
  void shouldReadNcclTestsWithItsDevices() throws IOException {
    CallLog log = only(read("nccl-tests-2.13-all_reduce_perf.log"));
    assertThat(log.op()).isEqualTo(CollectiveOp.ALL_REDUCE);
    assertThat(log.place()).contains(new CallLog.Place(16, 2, 1));
    assertThat(log.facts().version()).contains("2.19.3");
    assertThat(log.facts().gpu()).contains("NVIDIA H100 80GB HBM3");
    assertThat(log.rows()).hasSize(10);
    CallLog.Row last = log.rows().get(9);
    assertThat(last.bytes()).isEqualTo(1L << 30);
    // Out of place (26 + 2^30 / 245e3) us, in place 1 % more.
    assertThat(last.micros()).isCloseTo(26 + (1 << 30) / 245e3, within(0.5));
    assertThat(last.inPlace().orElseThrow()).isCloseTo(1.01 * (26 + (1 << 30) / 245e3), within(0.5));
    assertThat(log.inPlace().rows().get(9).micros()).isEqualTo(last.inPlace().getAsDouble());
  }

  @Test
  void shouldReadOldNcclTestsOfOneProcess() throws IOException {
    CallLog log = only(read("nccl-tests-2.0-all_gather_perf.log"));
    assertThat(log.op()).isEqualTo(CollectiveOp.ALL_GATHER);
    assertThat(log.place()).contains(new CallLog.Place(8, 1, 8));
    assertThat(log.rows()).hasSize(5).allSatisfy(
        row -> assertThat(row.micros()).isCloseTo(24 + row.bytes() / 215e3, within(0.02)));
  }

  @Test
  void shouldReadSeveralTestsOfOneJob() throws IOException {
    List<CallLog> logs = read("nccl-tests-2.17-two-tests.log").calls();
    assertThat(logs).extracting(CallLog::op).containsExactly(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_TO_ALL);
    assertThat(logs).allSatisfy(log -> {
      assertThat(log.place()).contains(new CallLog.Place(8, 1, 1));
      assertThat(log.facts().version()).contains("2.27.3");
      assertThat(log.facts().environment()).containsEntry("NCCL_ALGO", "Ring");
      assertThat(log.rows()).hasSize(5);
    });
  }

  @Test
  void shouldReadTheJsonOfNcclTests() throws IOException {
    CallLog log = only(read("nccl-tests-2.19-all_reduce.json"));
    assertThat(log.op()).isEqualTo(CollectiveOp.ALL_REDUCE);
    assertThat(log.place()).contains(new CallLog.Place(16, 2, 1));
    assertThat(log.facts()).isEqualTo(new LogFacts(Optional.of("2.27.3"), Optional.of("NVIDIA H100 80GB HBM3"),
        Optional.empty(), Optional.empty(), Map.of("NCCL_ALGO", "Ring"), Optional.empty(), false));
    assertThat(log.rows()).hasSize(5).allSatisfy(row -> {
      assertThat(row.micros()).isCloseTo(30 + row.bytes() / 245e3, within(1e-6));
      assertThat(row.inPlace().orElseThrow()).isCloseTo(1.01 * (30 + row.bytes() / 245e3), within(1e-6));
    });
  }

  @Test
  void shouldReadLongTimesOfJson() throws IOException {
    String json = sample("nccl-tests-2.19-all_reduce.json")
        .replaceAll("\"time\":[0-9.]*,\"alg_bw\":[0-9.]*", "\"time\":12345678.5,\"alg_bw\":0.000085");
    assertThat(only(LogFile.of("a.json", json)).rows()).extracting(CallLog.Row::micros).containsOnly(12345678.5);
  }

  // A process that drives several GPUs has only its first in the file.
  @Test
  void shouldCountAllGpusOfAProcessInJson() throws IOException {
    String json =
        sample("nccl-tests-2.19-all_reduce.json").replace("\"nthreads\":1,\"ngpus\":1", "\"nthreads\":2,\"ngpus\":4");
    assertThat(only(LogFile.of("a.json", json)).place()).contains(new CallLog.Place(128, 2, 8));
  }

  @Test
  void shouldLeaveOutHalvesThatJsonLacks() throws IOException {
    String json = sample("nccl-tests-2.19-all_reduce.json").replaceAll("\"in_place\":\\{[^}]*\\}", "\"in_place\":null");
    assertThat(only(LogFile.of("a.json", json)).rows()).hasSize(5).allSatisfy(
        row -> assertThat(row.inPlace()).isEmpty());
    refused(json.replaceAll("\"out_of_place\":\\{[^}]*\\}", "\"out_of_place\":null"), "no rows");
  }

  @Test
  void shouldNameFileFieldAndReasonWhenJsonIsBad() throws IOException {
    String whole = sample("nccl-tests-2.19-all_reduce.json");
    refused(whole.substring(0, whole.length() / 2), "log: ", "is no whole JSON", "cut off");
    refused("{\"results\":3}", "has no lists args and results");
    refused(whole.replace("{\"version\":1", "{\"version\":2"), "version is 2; version 1 is read");
    refused(whole.replace("/build/all_reduce_perf", "/build/hypercube_perf"), "args[0]", "hypercube_perf");
    refused(whole.replaceFirst("\"time\"", "\"cpu_time\""), "log: results[0].out_of_place", "(-C)");
    refused(whole.replaceFirst("\"time\":[0-9.]*", "\"time\":\"nan\""), "results[0].out_of_place", "'nan'");
    refused(whole.replaceFirst("\"time\":[0-9.]*", "\"time\":0.0343"), "but the row says", "microseconds");
    refused(whole.replaceFirst("\"size\":[0-9]*", "\"size\":-8"), "results[0]", "'-8'");
    refused(whole.replaceFirst("\"group\":0", "\"group\":1"), "2 groups", "NCCL_TESTS_SPLIT");
  }

  @Test
  void shouldTakeTheOperationFromTheNameWhenOnlyRowsAreThere() throws IOException {
    CallLog log = only(read("nccl-tests-rows-only-reduce_scatter_perf.txt"));
    assertThat(log.op()).isEqualTo(CollectiveOp.REDUCE_SCATTER);
    assertThat(log.place()).isEmpty();
    assertThat(log.at(new CallLog.Place(8, 1, 1)).rows()).isEqualTo(log.rows());
  }

  @Test
  void shouldReadOsuMessages() throws IOException {
    MessageLog latency = read("osu-7.4-latency.txt").messages().get(0);
    assertThat(latency.metric()).isEqualTo(MessageLog.Metric.LATENCY);
    assertThat(latency.best()).isEqualTo(3.1);
    MessageLog rate = read("osu-5.9-bw.txt").messages().get(0);
    assertThat(rate.metric()).isEqualTo(MessageLog.Metric.BANDWIDTH);
    // MB/s of 10^6 B.
    assertThat(rate.best()).isCloseTo((1 << 22) / (.9 + (1 << 22) / 48.2e3) / 1e3, withinPercentage(0.1));
  }

  @Test
  void shouldCountAllPartsOfOsuAllGather() throws IOException {
    CallLog log = only(read("osu-7.4-xccl-allgather.txt"));
    assertThat(log.op()).isEqualTo(CollectiveOp.ALL_GATHER);
    assertThat(log.place()).isEmpty();
    CallLog placed = log.at(new CallLog.Place(16, 2, 1));
    assertThat(placed.rows().get(7).bytes()).isEqualTo(16L << 23);
    assertThat(placed.rows().get(7).micros()).isEqualTo(431.72);
  }

  @Test
  void shouldReadPerftest() throws IOException {
    MessageLog write = read("perftest-24.01-write-bw.txt").messages().get(0);
    assertThat(write.test()).isEqualTo("RDMA_Write BW Test");
    // MB/sec of 2^20 B.
    assertThat(write.best()).isCloseTo((8 << 20) / (.25 + (8 << 20) / 48.9e3) / 1e3, withinPercentage(0.1));
    assertThat(read("perftest-24.01-read-bw-gbits.txt").messages().get(0).best()).isCloseTo(390.6 / 8, within(1e-6));
    MessageLog latency = read("perftest-24.01-write-lat.txt").messages().get(0);
    assertThat(latency.metric()).isEqualTo(MessageLog.Metric.LATENCY);
    assertThat(latency.best()).isEqualTo(1.84);
  }

  @Test
  void shouldHalveReadsAndBothDirections() throws IOException {
    String latency = sample("perftest-24.01-write-lat.txt").replace("RDMA_Write", "RDMA_Read");
    assertThat(LogFile.of("read.txt", latency).messages().get(0).best()).isEqualTo(0.92);
    String rate = sample("perftest-24.01-read-bw-gbits.txt").replace("RDMA_Read BW", "RDMA_Read Bidirectional BW");
    assertThat(LogFile.of("both.txt", rate).messages().get(0).best()).isCloseTo(390.6 / 16, within(1e-6));
  }

  @Test
  void shouldReadCsvWithItsHeader() {
    CallLog log = only(LogFile.of("mine.csv", """
        # source: my cluster
        # gpus: 16 (2 x 8)
        # nodes: 2
        # cluster: hgx-h100
        # nccl_version: 2.21.5
        # env: NCCL_ALGO=Ring NCCL_PROTO=Simple
        # collective: alltoall
        size_bytes,time_us,algbw_GBps
        1048576,50.5,20.76
        """));
    assertThat(log.op()).isEqualTo(CollectiveOp.ALL_TO_ALL);
    assertThat(log.place()).contains(new CallLog.Place(16, 2, 1));
    assertThat(log.facts()).isEqualTo(new LogFacts(Optional.of("2.21.5"), Optional.empty(), Optional.empty(),
        Optional.of("hgx-h100"), Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple"), Optional.of("my cluster"),
        false));
  }

  @Test
  void shouldReadWhatALineOfATableStatesInPassing() {
    CallLog log = only(LogFile.of("mine.csv", """
        # gpus: 8
        # nccl_version: 2.8.4-1 (CUDA 11.2.2)
        # algo_proto: default, NCCL_NET_GDR_LEVEL=2, -n 100, NCCL_CROSS_NIC raised later
        # health: good (single process -g 8: fixed launch cost)
        # collective: all_reduce
        size_bytes,time_us
        1048576,50.5
        """));
    assertThat(log.place()).contains(new CallLog.Place(8, 1, 8));
    assertThat(log.facts().version()).contains("2.8.4");
    assertThat(log.facts().environment()).isEqualTo(Map.of("NCCL_NET_GDR_LEVEL", "2"));
  }

  // Windows' line ends, codes of terminals, a byte order mark, prefixes of mpirun and srun.
  @ParameterizedTest
  @CsvSource({"'', '\r\n', ''", "'\u001B[0m', '\n', '\u001B[32m'", "'\uFEFF', '\n', ''", "'', '\n', '[1,0]<stdout>:'",
      "'', '\n', '0: '"})
  void shouldReadThroughWhatTerminalsAndLaunchersAdd(String first, String end, String prefix) throws IOException {
    String plain = sample("nccl-tests-2.13-all_reduce_perf.log");
    String wrapped = first + plain.replace("\n", "\n" + prefix).replace("\n", end);
    assertThat(only(LogFile.of("all_reduce.log", wrapped))).isEqualTo(only(LogFile.of("all_reduce.log", plain)));
  }

  @Test
  void shouldTakeTheMedianOfSeveralCycles() {
    String log = "# Collective test starting: all_reduce_perf\n" + ROW + "\n"
        + ROW.replace("40.10   26.15", "42.00   24.97") + "\n" + ROW.replace("40.10   26.15", "44.00   23.83") + "\n";
    assertThat(only(LogFile.of("a.log", log)).rows()).extracting(CallLog.Row::micros).containsExactly(42.0);
  }

  @Test
  void shouldSeparateTypes() {
    String log = "# Collective test starting: all_reduce_perf\n" + ROW + "\n" + ROW.replace("float", " int8") + "\n";
    assertThat(LogFile.of("a.log", log).calls()).extracting(CallLog::file)
        .containsExactly("a.log (float)", "a.log (int8)");
  }

  @Test
  void shouldNameFileLineAndReasonWhenALogIsBad() throws IOException {
    String whole = sample("nccl-tests-2.13-all_reduce_perf.log");
    String head = "# Collective test starting: all_reduce_perf\n";
    refused(whole.substring(0, whole.lastIndexOf("# Out of bounds") - 60), "log:34", "the log is cut off");
    refused(whole.substring(0, whole.indexOf("           8 ")), "log: ", "no rows");
    refused(head + ROW.replace("40.10", ".0401"), "log:2", "time is '.0401'");
    refused(head + ROW.replace(" 40.10 ", "0.0401 "), "log:2", "2.615e+04 GB/s, but the row says 26.15",
        "microseconds");
    refused(head + ROW.replace("  0    40.00", "  node017:214400 NCCL 40.00"), "log:2", "mixed into it");
    refused(ROW, "log:1", "rename it");
    refused(head + ROW + "\n" + ROW.replace("40.10   26.15", "60.00   17.48"), "log:3: contradicts log:2", "1048576 B");
    refused("hello\n", "log: ", "no output of nccl-tests, OSU micro-benchmarks or perftest");
    refused(whole + sample("perftest-24.01-write-bw.txt"), "nccl-tests and perftest in one file");
    refused(sample("osu-5.9-bw.txt") + sample("perftest-24.01-write-bw.txt"), "OSU and perftest in one file");
    refused(sample("osu-7.4-allreduce.txt"), "log:2", "Allreduce", "not NCCL's");
    refused(sample("osu-7.4-latency.txt").replace("(us)", "(ms)"), "log:5", "must be in (us)");
    String rates = sample("perftest-24.01-write-bw.txt");
    refused(rates.replace("[MB/sec]", "[KB/sec]"), "KB/sec", "MB/sec, MiB/sec and Gb/sec");
    refused(rates.replaceAll("(?m)^ 65536 .*$", " 65536      5000 "), "the row ends after 2 cells", "cut off");
    refused("size_bytes,time_ms\n8,1\n", "log:1", "time_us are needed, but there are size_bytes, time_ms");
    refused("# collective: all_reduce\nsize_bytes,time_us\n8,fast\n", "log:3", "'fast'");
    refused("# collective: all_reduce\nsize_bytes,time_us\n8\n", "log:3", "1 cells, but 2 columns");
    refused("# collective: all_reduces\nsize_bytes,time_us\n8,1\n", "'all_reduces' is not known");
    refused("# collective: all_reduce\n# gpus: many\nsize_bytes,time_us\n8,1\n", "'# gpus: many'");
    refused("# collective: all_reduce\nsize_bytes,time_us,algbw_GBps\n1048576,0.04,26\n", "log:3", "bytes");
  }

  private static void refused(String text, String... parts) {
    assertThatThrownBy(() -> LogFile.of("log", text)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContainingAll(parts);
  }
}
