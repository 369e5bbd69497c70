package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of the timing of send and receive against calculations by hand. */
class SendRecvTimingTest {
  private static final double MIB = 1 << 20;
  private static final double LOCAL_CHUNK = 512 * 1024;

  @Test
  void shouldCopyItsOwnBlockWithinMemoryWhenSendingToAll() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.exchanging(400, 20)), 8, 1);
    double bytes = 8192 * MIB;
    // 16 channels of 20 GB/s share the port of 400 GB/s with other peers' messages; besides the messages they copy the
    // own block at 40 GB/s. The receiver copies the last chunk of 512 KiB at 40 GB/s.
    double last = LOCAL_CHUNK / 40;
    double both = 1 / (1.0 / 20 + 1.0 / 7 / 40);
    double[] wide = besidesAndAsAMessage(timing, bytes, 32);
    double[] narrow = besidesAndAsAMessage(timing, bytes, 16);
    // 32 channels exceed the port, which some leave later than others.
    assertThat(wide[0]).isCloseTo(
        7.0 / 8 * bytes / SharedPort.rate(both, 400, 32) + spread(7.0 / 8 * bytes, both) + last, within(1.0));
    assertThat(wide[1]).isCloseTo(bytes / SharedPort.rate(20, 400, 32) + spread(bytes, 20) + last, within(1.0));
    assertThat(spread(bytes, 20)).isGreaterThan(100_000);
    assertThat(narrow[0]).isCloseTo(7.0 / 8 * bytes / SharedPort.rate(both, 400, 16) + last, within(1.0));
    assertThat(narrow[1]).isCloseTo(bytes / SharedPort.rate(20, 400, 16) + last, within(1.0));
    assertThat(timing.pairs(CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(16, 16, false), true).nanos())
        .isCloseTo(Machines.LAUNCH + 7.0 / 8 * bytes / SharedPort.rate(20, 400, 16) + last, within(1.0));
  }

  // The time by which the last of 32 channels ends after the mean at a port of 400 GB/s, nanoseconds.
  private static double spread(double data, double block) {
    return spread(32, data, block, 400);
  }

  private static double spread(int blocks, double data, double block, double port) {
    return PortSpread.ns(blocks, data / blocks, new CallTime.Resources(data / blocks / block, data / port, 0));
  }

  // The time of all_to_all out of place with a number of channels, all of which each message uses.
  private static double[] besidesAndAsAMessage(NcclTiming timing, double bytes, int channels) {
    return Stream.of(true, false).mapToDouble(apart -> timing.pairs(CollectiveOp.ALL_TO_ALL, (long) bytes,
        new PairChannels(channels, channels, false, 1, apart, 1, 0), false).nanos() - Machines.LAUNCH).toArray();
  }

  @Test
  void shouldTakeAsLongAsTheChannelsOfAMessageWhenItsPeersHaveOthers() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.exchanging(2000, 20)), 8, 1);
    double bytes = 8 * 64 * MIB;
    for (boolean inPlace : new boolean[] {true, false}) {
      // The own block has four of the 32 channels to itself and ends before the messages.
      double busy = 7 * 64 * MIB / SharedPort.rate(20, 2000, 28);
      assertThat(timing.pairs(CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(4, 32, false), inPlace).nanos())
          .isCloseTo(Machines.LAUNCH + busy + LOCAL_CHUNK / 40, within(1.0));
    }
  }

  @Test
  void shouldTellEachOtherBuffersWithinANodeOnly() {
    GpuTiming gpu = Machines.gpu(400, 20, 0, 0);
    GpuTiming telling = new GpuTiming(gpu.launch(), gpu.port(), gpu.copy(), gpu.ownCopy(), gpu.slice(), gpu.seen(),
        gpu.ll(), gpu.ll128(), Machines.ns(9_000), gpu.nvls());
    NcclTiming timing = Machines.timing(Machines.cluster(telling, 400), 16, 2);
    assertThat(timing.exchange(SendRecvModel.Messages.one(8, false), new PairChannels(1, 16, false)).nanos())
        .isCloseTo(Machines.LAUNCH + 9_000, within(5.0));
    assertThat(timing.exchange(SendRecvModel.Messages.one(8, false), new PairChannels(1, 16, true)).nanos())
        .isCloseTo(Machines.LAUNCH, within(5.0));
    assertThat(timing.exchange(SendRecvModel.Messages.one(8, true), new PairChannels(1, 16, false)).nanos())
        .isCloseTo(Machines.LAUNCH + Machines.LATENCY, within(5.0));
  }

  @Test
  void shouldSendAtTheRateOfItsChannelsWhenThereIsOneMessage() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.exchanging(400, 20)), 8, 1);
    double bytes = 64 * MIB;
    double last = LOCAL_CHUNK / 40;
    for (int channels : new int[] {1, 4, 16}) {
      double time = timing.pairs(
          CollectiveOp.SEND_RECV, (long) bytes, new PairChannels(channels, 32, false), false).nanos();
      assertThat(bytes / (time - Machines.LAUNCH - last)).isCloseTo(SharedPort.rate(20, 400, channels),
          within(1e-6));
    }
    CallTime all = timing.pairs(CollectiveOp.SEND_RECV, (long) bytes, new PairChannels(32, 32, false), false);
    assertThat(bytes / (all.nanos() - Machines.LAUNCH - last - spread(bytes, 20)))
        .isCloseTo(SharedPort.rate(20, 400, 32), within(1e-6));
    assertThat(all.bound()).isEqualTo(Bound.PORT);
  }

  @Test
  void shouldUseAllNicsNextToARankWhenItHasChannelsForThem() {
    GpuTiming gpu = Machines.exchanging(4000, 200);
    NetworkTiming twoNics =
        Machines.network(100, Machines.LATENCY, 0, 2, Optional.empty(), Optional.empty());
    MachineTiming machine = new MachineTiming(gpu, Machines.host(), Optional.of(twoNics));
    double bytes = 64 * MIB;
    // One rank a node by one or both of its NICs of 50 GB/s; of two ranks a node, one sends to the other node, by one.
    for (int[] each : new int[][] {{2, 1, 50}, {2, 2, 100}, {2, 4, 100}, {4, 4, 50}}) {
      NcclTiming timing = Machines.timing(machine, each[0], 2);
      for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.SEND_RECV, CollectiveOp.SCATTER}) {
        long size = op == CollectiveOp.SCATTER ? (long) bytes * each[0] : (long) bytes;
        double sent = op == CollectiveOp.SCATTER ? bytes * each[0] / 2 : bytes;
        double time = timing.pairs(op, size, new PairChannels(each[1], 16, false), true).nanos() - Machines.LAUNCH;
        assertThat(time).as("%s of %d ranks on %d channels", op, each[0], each[1])
            .isCloseTo(sent / each[2] + Machines.LATENCY, within(1.0));
      }
    }
  }

  @Test
  void shouldShareChannelsAmongEightPeersWhenTheyAreOnOneNode() {
    GpuTiming gpu = Machines.exchanging(4000, 20);
    NcclTiming timing = Machines.timing(Machines.cluster(gpu, 400), 16, 2);
    double bytes = 16 * 64 * MIB;
    double one = timing.pairs(
        CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(1, 16, false), true).nanos() - Machines.LAUNCH;
    double four = timing.pairs(
        CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(4, 16, false), true).nanos() - Machines.LAUNCH;
    // Half of the bytes leave the node: by one channel of 20 GB/s, or by the GPU's 50 GB/s of the NICs.
    assertThat(one).isCloseTo(bytes / 2 / 20 + Machines.LATENCY, within(1.0));
    assertThat(four).isCloseTo(bytes / 2 / 50 + Machines.LATENCY, within(1.0));
  }

  @Test
  void shouldUseChannelsOfEachNodeWhenPeersAreOnSeveralNodes() {
    GpuTiming gpu = Machines.exchanging(4000, 20);
    double bytes = 8 * 64 * MIB;
    for (int all : new int[] {2, 7, 16}) {
      double time = Machines.timing(Machines.cluster(gpu, 100), 8, 8).pairs(
          CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(1, all, false), true).nanos() - Machines.LAUNCH;
      // Seven messages on as many channels of 20 GB/s as there are, or by the NIC of 100 GB/s.
      assertThat(time).isCloseTo(bytes * 7 / 8 / Math.min(20 * all, 100) + Machines.LATENCY, within(1.0));
    }
  }

  @Test
  void shouldFillThreadBlocksAndTakeAProxysTimePerChunkWhenMessagesLeaveTheNode() {
    GpuTiming gpu = Machines.exchanging(4000, 20);
    MachineTiming cluster = Machines.cluster(gpu, 400);
    double bytes = 16 * 64 * MIB;
    long chunk = 128 << 10;
    PairChannels cut = new PairChannels(4, 16, false, 1, true, chunk, 0);
    double filled = Machines.timing(cluster, 16, 2).pairs(CollectiveOp.ALL_TO_ALL, (long) bytes, cut, true).nanos();
    // First chunks of eight peers on each channel of 20 GB/s; the receiver of the last one copies it too.
    assertThat(filled - Machines.LAUNCH)
        .isCloseTo(bytes / 2 / 50 + Machines.LATENCY + 8 * chunk / 20.0 + chunk / 20.0, within(1.0));
    // With one channel of 20 GB/s, the time of the NIC at 50 GB/s for the last chunks adds up.
    PairChannels narrow = new PairChannels(1, 16, false, 1, true, chunk, 0);
    assertThat(
        Machines.timing(cluster, 16, 2).pairs(CollectiveOp.ALL_TO_ALL, (long) bytes, narrow, true).nanos()
            - Machines.LAUNCH)
        .isCloseTo(bytes / 2 / 20 + Machines.LATENCY + 8 * chunk / 50.0 + chunk / 20.0, within(1.0));
    // The proxies of 4 GPUs each take 5 us for a chunk of the 8 messages of 2 ranks; a NIC of 100 GB/s takes 1.3 us.
    NetworkTiming net = cluster.network().orElseThrow();
    MachineTiming slow = new MachineTiming(gpu, cluster.host(),
        Optional.of(Machines.network(net.nodeRate(), Machines.LATENCY, 5_000, 4, Optional.empty(), Optional.empty())));
    double taken = Machines.timing(slow, 16, 2).pairs(CollectiveOp.ALL_TO_ALL, (long) bytes, cut, true).nanos();
    assertThat(taken - filled).isCloseTo(2 * 8 * 64 * MIB / chunk * 5_000 - bytes / 2 / 50, within(1.0));
    double scattered = Machines.timing(slow, 16, 2)
        .pairs(CollectiveOp.SCATTER, (long) bytes, new PairChannels(4, 16, false, 2, true, chunk, 0), true).nanos();
    // A root only sends, so that its thread blocks copy first chunks twice as fast, and so does the receiver of the
    // last one.
    assertThat(taken - scattered)
        .isCloseTo((2 - 1 / 2.0) * 8 * 64 * MIB / chunk * 5_000 + 9 * chunk / 40.0, within(1.0));
  }

  @Test
  void shouldStartAThreadBlockForEachChannelOfItsMessages() {
    GpuTiming gpu = Machines.exchanging(4000, 20);
    HostTiming host =
        new HostTiming(Optional.empty(), Machines.ns(0), Optional.of(Machines.ns(100)), Optional.empty());
    NcclTiming starting = Machines.timing(new MachineTiming(gpu, host, Optional.empty()), 8, 1);
    NcclTiming at = Machines.timing(Machines.node(gpu), 8, 1);
    // Four channels a message are as many as there are with eight ranks, all of which have one in an all_to_all.
    PairChannels four = new PairChannels(4, 32, false);
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.SEND_RECV, CollectiveOp.ALL_TO_ALL}) {
      assertThat(starting.pairs(op, 1 << 20, four, false).nanos() - at.pairs(op, 1 << 20, four, false).nanos())
          .isCloseTo((op == CollectiveOp.SEND_RECV ? 3 : 31) * 100, within(0.1));
    }
    SendRecvModel.Messages few = new SendRecvModel.Messages(2, 0, false, 1 << 20);
    assertThat(starting.exchange(few, four).nanos() - at.exchange(few, four).nanos()).isCloseTo(7 * 100, within(0.1));
  }

  @Test
  void shouldTakeAPostForEachChunkToAnotherNode() {
    double bytes = 64 * MIB;
    long chunk = 128 << 10;
    PairChannels two = new PairChannels(2, 16, false, 1, true, chunk, 0);
    MachineTiming quick = Machines.cluster(Machines.exchanging(4000, 20), 4000);
    MachineTiming slow = quick.posting(Machines.ns(6_000));
    // Each channel sends 256 chunks, and the receiver copies one more.
    assertThat(sent(slow, bytes, true, two) - sent(quick, bytes, true, two)).isCloseTo((256 + 1) * 6_000.0,
        within(1.0));
    assertThat(sent(slow, bytes, false, two)).isEqualTo(sent(quick, bytes, false, two));
    // A slice's work of 2 us runs into the post, in which the block waits; work of 8 us is longer.
    for (double slice : new double[] {2_000, 8_000}) {
      MachineTiming working = Machines.cluster(Machines.gpu(4000, 20, 0, slice, 40), 4000).posting(Machines.ns(6_000));
      assertThat(sent(working, bytes, true, two) - sent(quick, bytes, true, two))
          .isCloseTo((256 + 1) * Math.max(6_000, slice), within(1.0));
    }
  }

  private static double sent(MachineTiming machine, double bytes, boolean remote, PairChannels channels) {
    return Machines.timing(machine, 16, 2).exchange(SendRecvModel.Messages.one(bytes, remote), channels).nanos();
  }

  @Test
  void shouldWaitForRoomWhenConnectionsHoldLessThanIsOnTheWay() {
    GpuTiming gpu = Machines.exchanging(4000, 20);
    MachineTiming cluster = Machines.cluster(gpu, 400);
    NetworkTiming net = cluster.network().orElseThrow();
    MachineTiming far = new MachineTiming(gpu, cluster.host(),
        Optional.of(Machines.network(net.nodeRate(), 1e6, 0, 8, Optional.empty(), Optional.empty())));
    double bytes = 16 * 64 * MIB;
    long chunk = 128 << 10;
    double[] times = IntStream.of(2, 4).mapToDouble(held -> Machines.timing(far, 16, 2).pairs(
        CollectiveOp.ALL_TO_ALL, (long) bytes, new PairChannels(4, 16, false, 1, true, chunk, held), true).nanos())
        .toArray();
    // A connection holds a number of chunks of each of 8 messages on 4 channels until there is room. This takes 1 ms,
    // the time of one chunk of each at the NIC's 50 GB/s, and twice the time of 4 thread blocks of 20 GB/s.
    double room = 1e6 + 32.0 * chunk / 50 + 2 * 32.0 * chunk / 80;
    // Of 128 chunks of each message, the last waits for room 63 or 31 times.
    assertThat(times[0] - times[1]).isCloseTo((63 - 31) * room, withinPercentage(0.1));
  }

  @Test
  void shouldScatterByThePortsOfItsNeighboursWhenTheyPassOn() {
    GpuTiming gpu = Machines.exchanging(200, 1000);
    NcclTiming timing = Machines.timing(Machines.cluster(gpu, 400), 16, 2);
    double bytes = 16 * 64 * MIB;
    double alone = timing.pairs(
        CollectiveOp.SCATTER, (long) bytes, new PairChannels(16, 16, false, 1, true, 1, 0), true).nanos()
        - Machines.LAUNCH;
    double together = timing.pairs(
        CollectiveOp.SCATTER, (long) bytes, new PairChannels(16, 16, false, 8, true, 1, 0), true).nanos()
        - Machines.LAUNCH;
    // Half of the bytes leave the node by one NIC of 50 GB/s; or all bytes but those of the own rail and the own block
    // cross its port of 200 GB/s, which 16 channels fill, each of which sends 2000 GB/s as it receives nothing.
    assertThat(alone).isCloseTo(bytes / 2 / 50 + Machines.LATENCY, within(1.0));
    assertThat(together).isCloseTo(
        bytes * 14 / 16 / 200 + spread(16, bytes * 14 / 16, 2000, 200) + Machines.LATENCY, within(1.0));
  }
}
