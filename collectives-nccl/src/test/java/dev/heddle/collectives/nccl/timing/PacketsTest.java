package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.units.DataSize;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of messages that a proxy divides into packets, or that their receiver reads. */
class PacketsTest {
  private static final NetworkTiming.Packets PACKETS =
      new NetworkTiming.Packets(DataSize.ofKiB(8), DataSize.ofKiB(300), Machines.ns(31_000));
  private static final double POST = 100;

  private static NcclTiming timing(int ranks) {
    return Machines.timing(new MachineTiming(Machines.gpu(1e6, 1e6, 0, 0), Machines.host(),
        Optional.of(Machines.packing(POST, PACKETS))), ranks, 2);
  }

  // The receiver reads messages of 300 KiB on the wire after a round trip; shorter ones are packets of 8 KiB. Lines of
  // LL lie in the host's memory and are always packets.
  @ParameterizedTest
  @CsvSource({
      "SIMPLE, 4096, 1, 0", "SIMPLE, 32768, 4, 0", "SIMPLE, 307200, 1, 31000", "LL128, 287999, 38, 0",
      "LL128, 288000, 1, 31000", "LL, 16384, 4, 0"})
  void shouldReadMessagesAboveAllPackets(Protocol protocol, int bytes, int posts, double read) {
    // One step of a ring over two ranks in two nodes: a chunk, which with Simple is one slice or two.
    double slices = protocol == Protocol.SIMPLE && bytes > Buffers.LEAST_SLICE ? 2 : 1;
    double data = slices * bytes;
    double nanos = timing(2).collective(CollectiveOp.ALL_GATHER, (long) (2 * data),
        new Execution(Algorithm.RING, protocol, 1), true).nanos();
    double start = Machines.LAUNCH + (protocol == Protocol.LL128 ? 7_400 : 0);
    assertThat(nanos).isCloseTo(
        start + Machines.LATENCY + slices * posts * POST + read, within(10 + 0.01 * posts * POST));
  }

  // A peer gets 300 KiB as packets and the rest by reads, one for each chunk.
  @ParameterizedTest
  @CsvSource({"262144, 32, 0", "307199, 38, 0", "307200, 38, 31000", "831488, 39, 31000", "831489, 40, 31000"})
  void shouldSendTheFirstBytesOfAMessageAsPackets(long bytes, int posts, double read) {
    PairChannels one = new PairChannels(1, 1, false, 1, false, 524_288, 8);
    assertThat(timing(2).pairs(CollectiveOp.SEND_RECV, bytes, one, false).nanos())
        .isCloseTo(Machines.LAUNCH + Machines.LATENCY + posts * POST + read, within(10.0));
  }
}
