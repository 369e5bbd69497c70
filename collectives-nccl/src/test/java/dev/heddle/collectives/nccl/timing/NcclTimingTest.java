package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.search.DoubleBinaryTree;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the timing of collectives against calculations by hand. */
class NcclTimingTest {
  private static final double MIB = 1 << 20;

  private static Execution on(int channels, Algorithm algorithm, Protocol protocol) {
    return new Execution(algorithm, protocol, channels);
  }

  private static double ns(NcclTiming timing, CollectiveOp op, double bytes, Execution execution) {
    return timing.collective(op, (long) bytes, execution, false).nanos();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 72})
  void shouldTakeWhatEveryRankSendsWhenStepsCostNothing(int ranks) {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(400, 20, 0, 0)), ranks, 1);
    // 16 channels copy 320 of the port's 400 GB/s.
    double bytes = ranks * 16 * 64 * MIB;
    double expected = Machines.LAUNCH + 2.0 * (ranks - 1) / ranks * bytes / 320;
    Execution execution = on(16, Algorithm.RING, Protocol.SIMPLE);
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, bytes, execution)).isCloseTo(expected, within(1e-6 * expected));
    assertThat(timing.collective(CollectiveOp.ALL_REDUCE, (long) bytes, execution, false).bound())
        .isEqualTo(Bound.COPY);
    Execution wide = on(32, Algorithm.RING, Protocol.SIMPLE);
    assertThat(timing.collective(CollectiveOp.ALL_REDUCE, (long) bytes, wide, false).bound()).isEqualTo(Bound.PORT);
  }

  /** Trees over 3 nodes are as deep as those over 4: the first chunk of each takes two steps up and two down. */
  @Test
  void shouldCountTheStepsOfTreesOverAnyNumberOfNodes() {
    for (int nodes = 1; nodes <= 300; nodes++) {
      DoubleBinaryTree trees = new DoubleBinaryTree(nodes);
      for (int tree = 0; tree < 2; tree++) {
        int depth = 0;
        for (int node = 0; node < nodes; node++) {
          int steps = 0;
          for (int at = node; trees.parent(tree, at) != DoubleBinaryTree.NONE; at = trees.parent(tree, at)) {
            steps++;
          }
          depth = Math.max(depth, steps);
        }
        assertThat(new RankLayout(nodes, nodes).depth()).as("%d nodes, tree %d", nodes, tree).isEqualTo(depth);
      }
    }
  }

  @Test
  void shouldCopyItsOwnBlockUnlessInPlace() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(400, 20, 0, 0, 62.5)), 8, 1);
    Execution execution = on(32, Algorithm.RING, Protocol.SIMPLE);
    long bytes = 8L << 30;
    double in = timing.collective(CollectiveOp.ALL_GATHER, bytes, execution, true).nanos() - Machines.LAUNCH;
    double out = timing.collective(CollectiveOp.ALL_GATHER, bytes, execution, false).nanos() - Machines.LAUNCH;
    // The port moves 400 GB/s, 32 thread blocks copy 2000 within memory.
    assertThat(in).isCloseTo(7.0 / 8 * bytes / 400 + lateNs(32, 7.0 / 8 * bytes / 32, 20, 400), within(1.0));
    assertThat(out - in).isCloseTo(bytes / 8.0 / 2000, within(1.0));
  }

  // The time by which the last channel ends later than the mean.
  private static double lateNs(int channels, double data, double copy, double port) {
    return PortSpread.ns(channels, data, new CallTime.Resources(data / copy, data * channels / port, 0));
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void shouldTakeItsStepsOneAfterAnotherWhenThereIsHardlyAnything(Protocol protocol) {
    NcclTiming node = Machines.timing(Machines.node(Machines.gpu(400, 20, Machines.HOP, 0)), 8, 1);
    Execution execution = on(1, Algorithm.RING, protocol);
    // Kernels with LL128 start 14.0 - 6.6 us later than those with LL in NCCL's own model.
    double start = Machines.LAUNCH + (protocol == Protocol.LL128 ? 7_400 : 0);
    assertThat(ns(node, CollectiveOp.ALL_REDUCE, 8, execution))
        .isCloseTo(start + 14 * Machines.HOP, within(5.0));
    assertThat(ns(node, CollectiveOp.ALL_GATHER, 8, execution))
        .isCloseTo(start + 7 * Machines.HOP, within(5.0));
    assertThat(node.collective(CollectiveOp.ALL_REDUCE, 8, execution, false).bound()).isEqualTo(Bound.LATENCY);
    // Data that start at the second rank of a node are sent to the other node four times, until all have the sum.
    NcclTiming two = Machines.timing(Machines.cluster(Machines.gpu(400, 20, Machines.HOP, 0), 400), 16, 2);
    double chain = 30 * Machines.HOP + 4 * Machines.LATENCY;
    // A connection holds four slices with Simple, eight with the LL protocols: so many are in flight at a time.
    double windows = Math.ceil(30.0 / (protocol == Protocol.SIMPLE ? 4 : 8)) * (Machines.HOP + Machines.LATENCY);
    assertThat(ns(two, CollectiveOp.ALL_REDUCE, 8, execution))
        .isCloseTo(start + Math.max(chain, windows), within(5.0));
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void shouldTakeTwoMoreStepsWhenTheTreeHasTwiceTheNodes(Protocol protocol) {
    GpuTiming gpu = Machines.gpu(400, 20, Machines.HOP, 0);
    Execution execution = on(1, Algorithm.TREE, protocol);
    for (int nodes = 2; nodes <= 1024; nodes *= 2) {
      double one =
          ns(Machines.timing(Machines.cluster(gpu, 400), 8 * nodes, nodes), CollectiveOp.ALL_REDUCE, 8, execution);
      double twice =
          ns(Machines.timing(Machines.cluster(gpu, 400), 16 * nodes, 2 * nodes), CollectiveOp.ALL_REDUCE, 8, execution);
      // NCCL's own model has 1.25 us for a step of a tree with LL128 and 1.9 us for one of a ring.
      double step = Machines.HOP * (protocol == Protocol.LL128 ? 1.25 / 1.9 : 1);
      assertThat(twice - one).isCloseTo(2 * (step + Machines.LATENCY), within(10.0));
    }
  }

  @Test
  void shouldSendEachByteOnceWhenTheTreeJoinsTwoNodes() {
    GpuTiming gpu = Machines.gpu(4000, 200, 0, 0);
    Execution execution = on(16, Algorithm.TREE, Protocol.SIMPLE);
    double bytes = 4096 * MIB;
    double two = ns(Machines.timing(Machines.cluster(gpu, 100), 16, 2), CollectiveOp.ALL_REDUCE, bytes, execution);
    double four = ns(Machines.timing(Machines.cluster(gpu, 100), 32, 4), CollectiveOp.ALL_REDUCE, bytes, execution);
    assertThat(two).isCloseTo(bytes / 100, within(.01 * two));
    assertThat(four).isCloseTo(2 * bytes / 100, within(.01 * four));
  }

  // A thread block that sums two operands and stores one at 60 GB/s has 180 GB/s of accesses. The busiest rank has, for
  // each byte and both directions, one for each child and two for itself, or one if it is the root.
  @ParameterizedTest
  @CsvSource({"TREE, 2, 1, 4", "TREE, 4, 1, 6", "TREE, 2, 2, 4", "TREE, 4, 4, 8", "TREE, 16, 2, 6", "TREE, 24, 3, 8",
      "TREE, 32, 4, 10", "TREE, 512, 64, 10", "COLLNET_CHAIN, 4, 4, 4", "COLLNET_CHAIN, 32, 4, 6"})
  void shouldAccessMemoryForEachChildWhenATreeSums(Algorithm algorithm, int ranks, int nodes, double accesses) {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(1e6, 60, 0, 0), 1e6), ranks, nodes);
    Execution execution = on(1, algorithm, Protocol.SIMPLE);
    double bytes = 1024 * MIB;
    double more = ns(timing, CollectiveOp.ALL_REDUCE, 2 * bytes, execution)
        - ns(timing, CollectiveOp.ALL_REDUCE, bytes, execution);
    assertThat(more).isCloseTo(bytes * accesses / 180, within(1.0));
  }

  @Test
  void shouldTakeTwiceTheWireWhenHalfOfItIsFlags() {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(4000, 1000, 0, 0), 100), 16, 2);
    double bytes = 1024 * MIB;
    double simple = ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.RING, Protocol.SIMPLE))
        - Machines.LAUNCH;
    double ll = ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.RING, Protocol.LL)) - Machines.LAUNCH;
    double ll128 = ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.RING, Protocol.LL128))
        - Machines.LAUNCH;
    assertThat(simple).isCloseTo(30.0 / 16 * bytes / 100, within(.01 * simple));
    assertThat(ll / simple).isCloseTo(2.0, within(.01));
    assertThat(ll128 / simple).isCloseTo(128.0 / 120, within(.01));
  }

  @ParameterizedTest
  @CsvSource({"2, 2", "4, 4", "8, 8", "64, 32", "72, 32"})
  void shouldMoveOnePlusOneByHeadsOverThePortWhenSwitchesReduce(int ranks, int heads) {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(400, 20, 0, 0)), ranks, 1);
    double bytes = 8192 * MIB;
    double time = ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.NVLS, Protocol.SIMPLE))
        - Machines.LAUNCH;
    // Two loops of chunks of 128 KiB fill the pipeline.
    double moved = bytes + 2.0 * 16 * heads * MIB / 8;
    assertThat(moved / time * (1 + 1.0 / heads)).isCloseTo(16 * 20, within(1e-3));
  }

  @Test
  void shouldLoopOverSmallerChunksWhenTheCallIsSmaller() {
    // Eight heads, 16 channels: 128 KiB from 1 GiB on, 64 KiB from 64 MiB, 32 KiB from 8 MiB, else 16 KiB.
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(400, 20, 0, Machines.SLICE)), 8, 1);
    Execution execution = on(16, Algorithm.NVLS, Protocol.SIMPLE);
    double[][] expected = {
        {1024, 64, 128}, {1023, 128, 64}, {64, 8, 64}, {63, 16, 32}, {8, 2, 32}, {4, 2, 16}, {2, 1, 16}};
    for (double[] each : expected) {
      // A loop takes a slice, as flags are seen at once here; two loops fill the pipeline.
      double rate = 320 / 1.125;
      double fill = 2.0 * 16 * 8 * each[2] * 1024 / rate;
      double loops = (ns(timing, CollectiveOp.ALL_REDUCE, each[0] * MIB, execution) - Machines.LAUNCH
          - each[0] * MIB / rate - fill) / Machines.SLICE;
      assertThat(loops).as("loops of %s MiB", each[0]).isCloseTo(each[1], within(1e-3));
    }
  }

  @Test
  void shouldOverlapCallsWhenOneRankOnlySends() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(400, 20, Machines.HOP, 0)), 8, 1);
    Execution execution = on(16, Algorithm.RING, Protocol.SIMPLE);
    double bytes = 1024 * MIB;
    // The next rank copies the last chunk of 512 KiB too.
    assertThat(ns(timing, CollectiveOp.BROADCAST, bytes, execution))
        .isCloseTo(Machines.LAUNCH + Machines.HOP + bytes / 320 + 512 * 1024 / 20.0, within(1.0));
  }

  @ParameterizedTest
  // Accesses to memory of the step within a rank's memory, relative to the two of a copy.
  @CsvSource({
      "ALL_GATHER, false, false, 1", "ALL_GATHER, false, true, 0", "REDUCE_SCATTER, false, false, 1.5",
      "ALL_GATHER, true, false, 1.5", "ALL_GATHER, true, true, 1", "REDUCE_SCATTER, true, false, 1",
      "ALL_REDUCE, false, false, 1", "ALL_REDUCE, true, false, 1"})
  void shouldTouchMemoryBeforeTheFirstReadOrAfterTheLastWrite(CollectiveOp op, boolean reads, boolean inPlace,
      double accesses) {
    long bytes = Math.round(1024 * MIB);
    Execution execution = on(1, Algorithm.RING, Protocol.SIMPLE);
    double[] times = new double[2];
    for (int i = 0; i < times.length; i++) {
      GpuTiming gpu = Machines.gpu(4000, 4000, 0, 0, i == 0 ? 50 : Machines.OWN_COPY);
      times[i] = new NcclTiming(Machines.node(gpu), new RankLayout(2, 1, 2, 1, 0, reads), Buffers.DEFAULT)
          .collective(op, bytes, execution, inPlace).nanos();
    }
    assertThat(times[0] - times[1]).isCloseTo(accesses * bytes / 2 / 50, within(.01 * bytes / 50));
  }

  @Test
  void shouldFindTheNicFreeWhenCallsOfChainsWaitForOneAnother() {
    // Two nodes of two ranks. The second rank of the first chain is the last of the second one: in two calls a chunk
    // passes the network twice, and both chains' chunks leave the NIC twice. A chunk that passes alone has all of it.
    ChainOrder order = new ChainOrder(new int[][] {{0, 1, 2, 3}, {0, 2, 3, 1}},
        new boolean[][] {{false, false, true, false}, {false, true, false, true}});
    MachineTiming machine = new MachineTiming(Machines.gpu(4000, 4000, 0, 0), Machines.host(),
        Optional.of(Machines.network(100, 20_000, 0, 1, Optional.empty(), Optional.empty())));
    NcclTiming timing = new NcclTiming(machine, new RankLayout(4, 2), Buffers.DEFAULT, () -> order);
    double chunk = 512 * 1024;
    assertThat(ns(timing, CollectiveOp.BROADCAST, 2 * chunk, on(2, Algorithm.RING, Protocol.SIMPLE)))
        .isCloseTo(Machines.LAUNCH + 20_000 + chunk / 100 + chunk / 4000 + 2 * chunk / 100, within(100.0));
  }

  @Test
  void shouldHideTheHostWhenTheGpuTakesLonger() {
    GpuTiming gpu = Machines.gpu(400, 20, 0, 0);
    HostTiming host = new HostTiming(Optional.empty(), Machines.ns(35_000 / 8.0), Optional.of(Machines.ns(0)),
        Optional.empty());
    NcclTiming timing = new NcclTiming(
        new MachineTiming(gpu, host, Optional.empty()), new RankLayout(8, 1, 8, 0), Buffers.DEFAULT);
    CallTime small =
        timing.collective(CollectiveOp.ALL_REDUCE, 8, on(16, Algorithm.RING, Protocol.LL), false);
    assertThat(small.nanos()).isCloseTo(35_000 + 8 * 15 * 50, within(1e-6));
    assertThat(small.bound()).isEqualTo(Bound.HOST);
    double large = ns(timing, CollectiveOp.ALL_REDUCE, 1024 * MIB, on(16, Algorithm.RING, Protocol.SIMPLE));
    assertThat(large).isCloseTo(
        ns(Machines.timing(Machines.node(gpu), 8, 1), CollectiveOp.ALL_REDUCE, 1024 * MIB,
            on(16, Algorithm.RING, Protocol.SIMPLE)),
        within(1e-6));
  }

  @Test
  void shouldServeMessagesInTurnWhenAProxyHasSeveralChannels() {
    GpuTiming gpu = Machines.gpu(4000, 1000, 0, 0);
    NetworkTiming network = Machines.network(1000, 0, 10_000, 4, Optional.empty(), Optional.empty());
    NcclTiming timing = Machines.timing(new MachineTiming(gpu, Machines.host(), Optional.of(network)), 16, 2);
    // Each of two trees has two channels per NIC, one for each direction; the two crossings wait 20 us each.
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 8, on(16, Algorithm.TREE, Protocol.LL)))
        .isCloseTo(Machines.LAUNCH + 2 * 20_000, within(5.0));
  }

  @Test
  void shouldTakeLongerWhenTheHostCopiesTheMessage() {
    GpuTiming gpu = Machines.gpu(4000, 1000, 0, 0);
    NetworkTiming network = Machines.network(1000, 0, 0, 4,
        Optional.of(new NetworkTiming.Staging(DataSize.ofKiB(4), DataSize.ofKiB(16), Machines.ns(10_000))),
        Optional.empty());
    NcclTiming timing = Machines.timing(new MachineTiming(gpu, Machines.host(), Optional.of(network)), 16, 2);
    // With LL, half of the bytes on the wire are data; the tree crosses twice.
    double[][] expected = {{2048, 0}, {2056, 20_000}, {8192, 20_000}, {8200, 0}};
    for (double[] each : expected) {
      assertThat(ns(timing, CollectiveOp.ALL_REDUCE, each[0], on(1, Algorithm.TREE, Protocol.LL)))
          .as("%s B", each[0]).isCloseTo(Machines.LAUNCH + each[1], within(200.0));
    }
  }

  @Test
  void shouldFillATreeOneLevelAtATimeWhenItsPartIsOneChunk() {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(400, 1000, 0, 0), 100), 16, 4);
    double bytes = 16 * 256 * 1024;
    // Ten copies use the whole port. Of the two steps in each direction between nodes, one moves both children's chunks
    // of one tree, of two, at the whole rate of the NICs; the other moves those of the root's only child, at half the
    // rate.
    double expected = bytes * (10 / (400 * 4.0 / 3) + 3 / 100.0);
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.TREE, Protocol.SIMPLE)))
        .isCloseTo(Machines.LAUNCH + 4 * Machines.LATENCY + expected, within(.01 * expected));
  }

  @Test
  void shouldKeepThreadBlocksProxiesAndNicsBusyAtTheSameTimeWhenARingHasSlices() {
    GpuTiming gpu = Machines.gpu(400, 20, 0, Machines.SLICE);
    double bytes = 16 * 16 * 256 * 1024;
    // The 30 steps of a channel have two slices of 128 KiB; 16 slices, one for each channel, move at a time. A rank
    // also waits for the flags of its last two slices, which it only stores.
    double slices = 60;
    double slice = 128 * 1024;
    double first = 30 * (Machines.SLICE + slice / 20);
    double[][] expected = {
        {100, 0, slices * slice * 16 / 100}, {1000, 0, slices * (Machines.SLICE + slice / 20) + 2 * Machines.SLICE},
        {100, 20_000, slices * 4 * 20_000}};
    for (double[] each : expected) {
      NetworkTiming network = Machines.network(each[0], 0, each[1], 4, Optional.empty(), Optional.empty());
      NcclTiming timing = Machines.timing(new MachineTiming(gpu, Machines.host(), Optional.of(network)), 16, 2);
      assertThat(ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.RING, Protocol.SIMPLE)))
          .as("%s GB/s, a message in %s ns", each[0], each[1])
          .isCloseTo(Machines.LAUNCH + Math.max(first, each[2]), within(.001 * each[2]));
    }
  }

  @Test
  void shouldCutTheFirstSliceNoSmallerThanItsLeastWhenChunksAreSmall() {
    GpuTiming gpu = Machines.gpu(4000, 1000, 0, 0);
    NetworkTiming network =
        Machines.network(1000, 0, 0, 4,
            Optional.of(new NetworkTiming.Staging(DataSize.ofKiB(4), DataSize.ofKiB(16), Machines.ns(10_000))),
            Optional.empty());
    NcclTiming timing = Machines.timing(new MachineTiming(gpu, Machines.host(), Optional.of(network)), 16, 4);
    // 44 KiB are slices of 32 and 12 KiB, of which the second is copied by the host; 88 KiB are two of 44 KiB.
    double[][] expected = {{44, 30 * 10_000}, {88, 0}};
    for (double[] each : expected) {
      assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 4 * 16 * each[0] * 1024, on(4, Algorithm.RING, Protocol.SIMPLE)))
          .as("chunks of %s KiB", each[0]).isCloseTo(Machines.LAUNCH + each[1], within(25_000.0));
    }
  }

  @Test
  void shouldWaitForNoFlagsWhenChannelsHaveDriftedApartOverFullLoops() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(160, 20, 0, Machines.SLICE)), 8, 1);
    Execution execution = on(16, Algorithm.RING, Protocol.SIMPLE);
    double loop = 16 * 8 * 2 * MIB;
    // A chunk is two slices; slices that a rank only stores do not use the port.
    double kept = 2 * Machines.SLICE;
    double flags = 14 * 2 * Machines.SLICE;
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 4 * loop, execution))
        .isCloseTo(Machines.LAUNCH + 4 * (loop * 14 / 8 / 160 + kept) + lateNs(16, 4 * loop * 14 / 8 / 16, 20, 160),
            within(1e3));
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, loop / 2, execution))
        .isCloseTo(Machines.LAUNCH + loop / 2 * 14 / 8 / 160 + flags + kept + lateNs(16, loop / 2 * 14 / 8 / 16, 20,
            160), within(1e3));
  }

  @Test
  void shouldArriveALatencyAfterTheLastByteWasSent() {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(4000, 1000, 0, 0), 100), 16, 2);
    double bytes = 16 * 256 * MIB;
    assertThat(ns(timing, CollectiveOp.REDUCE_SCATTER, bytes, on(16, Algorithm.RING, Protocol.SIMPLE)))
        .isCloseTo(Machines.LAUNCH + bytes * 15 / 16 / 100 + Machines.LATENCY, within(.001 * bytes / 100));
  }

  @ParameterizedTest
  // The chain of steps crosses 2, 1, 2, 4, 3 times, and for a reduction twice as often or once less; a connection that
  // holds four slices waits for room after every four of its 15, 1, 3, 15, 23 sends.
  @CsvSource({"2, 8, 4, 8", "2, 1, 1, 2", "2, 2, 2, 3", "4, 4, 4, 8", "3, 8, 6, 12"})
  void shouldCrossTheNetworkAsOftenAsTheChainOfStepsOrAConnectionsRoomDemands(int nodes, int perNode, int gathering,
      int reducing) {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(400, 1000, 0, 0), 400), nodes * perNode, nodes);
    Execution execution = on(1, Algorithm.RING, Protocol.SIMPLE);
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, 8, execution))
        .isCloseTo(Machines.LAUNCH + gathering * Machines.LATENCY, within(5.0));
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 8, execution))
        .isCloseTo(Machines.LAUNCH + reducing * Machines.LATENCY, within(5.0));
  }

  @Test
  void shouldKeepAConnectionBusyWhenAMessageTellsAnothersArrival() {
    NetworkTiming network =
        Machines.network(1000, 0, 0, 8,
            Optional.empty(), Optional.of(new NetworkTiming.Arrival(DataSize.ofKiB(8), Machines.ns(10_000))));
    NcclTiming timing =
        Machines.timing(new MachineTiming(Machines.gpu(4000, 1000, 0, 0), Machines.host(), Optional.of(network)), 16,
            2);
    // With LL, half of the bytes on the wire are data: a ring's connections send 15 messages, a tree's one in each
    // direction.
    Execution ring = on(1, Algorithm.RING, Protocol.LL);
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, 16 * 4096, ring)).isCloseTo(Machines.LAUNCH, within(500.0));
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, 16 * 4104, ring))
        .isCloseTo(Machines.LAUNCH + 15 * 10_000, within(500.0));
    Execution tree = on(1, Algorithm.TREE, Protocol.LL);
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 4096, tree)).isCloseTo(Machines.LAUNCH, within(500.0));
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, 4104, tree))
        .isCloseTo(Machines.LAUNCH + 2 * 10_000, within(500.0));
  }

  // Data cross the network twice. A message of LL128 takes 0.39 of what Simple adds to a step, all of it where another
  // message tells its arrival, since it has more than 8 KiB on the wire; LL adds nothing.
  @ParameterizedTest
  @CsvSource({
      "LL128, true, 7680, 0.39", "LL128, true, 7800, 1", "LL128, false, 7800, 0.39", "LL, true, 7800, 0"})
  void shouldTakeTheStepOfSimpleWithLl128WhenAnotherMessageTellsTheArrival(Protocol protocol, boolean told, int chunk,
      double share) {
    NetworkTiming network = Machines.network(1000, 0, 0, 8, Optional.empty(),
        told ? Optional.of(new NetworkTiming.Arrival(DataSize.ofKiB(8), Machines.ns(0))) : Optional.empty())
        .toBuilder().simple(Machines.ns(20_000)).build();
    NcclTiming timing =
        Machines.timing(new MachineTiming(Machines.gpu(4000, 1000, 0, 0), Machines.host(), Optional.of(network)), 16,
            2);
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, 16.0 * chunk, on(1, Algorithm.RING, protocol)))
        .isCloseTo(Machines.LAUNCH + (protocol == Protocol.LL128 ? 7_400 : 0) + 2 * share * 20_000, within(500.0));
  }

  @Test
  void shouldLeaveThePortToOthersWhenAChannelHasNotStarted() {
    GpuTiming gpu = Machines.gpu(10, 1000, 0, 0);
    HostTiming slow = new HostTiming(Optional.empty(), Machines.ns(0), Optional.of(Machines.ns(1e6)),
        Optional.empty());
    NcclTiming timing = Machines.timing(new MachineTiming(gpu, slow, Optional.empty()), 8, 1);
    double one = ns(timing, CollectiveOp.ALL_REDUCE, 32_768, on(1, Algorithm.RING, Protocol.LL));
    double four = ns(timing, CollectiveOp.ALL_REDUCE, 4 * 32_768, on(4, Algorithm.RING, Protocol.LL));
    assertThat(four - one).isCloseTo(3e6, within(.05 * (one - Machines.LAUNCH)));
  }

  @Test
  void shouldAddUpToTheFluidWhenNothingElseIsOnTheWire() {
    long seed = 20_260_729;
    RandomStream random = RandomStream.of(seed, "timing", "cases");
    Algorithm[] algorithms = {
        Algorithm.RING, Algorithm.TREE, Algorithm.NVLS_TREE, Algorithm.COLLNET_CHAIN, Algorithm.COLLNET_DIRECT
    };
    for (int i = 0; i < 2_000; i++) {
      double network = 50 + random.nextInt(400);
      NcclTiming timing = Machines.timing(
          Machines.cluster(Machines.gpu(100 + random.nextInt(900), 5 + random.nextInt(40), Machines.HOP,
              Machines.SLICE), network),
          16, 2);
      Algorithm algorithm = algorithms[random.nextInt(algorithms.length)];
      Protocol protocol = algorithm == Algorithm.NVLS_TREE ? Protocol.SIMPLE
          : Protocol.values()[random.nextInt(Protocol.values().length)];
      long bytes = 1L << random.nextInt(34);
      CallTime call = timing.collective(
          CollectiveOp.ALL_REDUCE, bytes, on(1 + random.nextInt(32), algorithm, protocol), false);
      ChannelTiming channel = call.channel();
      assertThat(call.launchNs()).as("seed %s, case %s", seed, i).isEqualTo(Machines.LAUNCH);
      assertThat(call.transferNs()).as("seed %s, case %s", seed, i).isNotNegative();
      assertThat(call.waitNs()).as("seed %s, case %s", seed, i).isNotNegative();
      assertThat(channel.latency().nanos()).as("seed %s, case %s", seed, i).isCloseTo(call.waitNs(), within(.002));
      // No faster than the thread blocks copy.
      assertThat(channel.wireBytes() / (channel.limit() * 1000)).as("seed %s, case %s", seed, i)
          .isLessThanOrEqualTo(call.transferNs() * (1 + 1e-9) + 1);
    }
  }

  @Test
  void shouldTakeNoLessWhenThereIsMoreOnTheSameChannels() {
    NcclTiming timing =
        Machines.timing(Machines.cluster(Machines.gpu(360, 20, Machines.HOP, Machines.SLICE), 300), 32, 4);
    for (Protocol protocol : Protocol.values()) {
      double last = 0;
      for (long bytes = 8; bytes <= 1L << 34; bytes *= 2) {
        double time = ns(timing, CollectiveOp.ALL_REDUCE, bytes, on(16, Algorithm.RING, protocol));
        assertThat(time).as("%s of %s B", protocol, bytes).isGreaterThanOrEqualTo(last);
        last = time;
      }
    }
  }

  @Test
  void shouldSendEveryOtherShareOnceWhenTreesAreAggregated() {
    NcclTiming timing = Machines.timing(Machines.cluster(Machines.gpu(4000, 200, 0, 0), 50), 16, 16);
    double bytes = 4096 * MIB;
    double time = ns(timing, CollectiveOp.ALL_GATHER, bytes, on(16, Algorithm.PAT, Protocol.SIMPLE));
    assertThat(time).isCloseTo(15.0 / 16 * bytes / 50, within(.01 * time));
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, 16, on(1, Algorithm.PAT, Protocol.SIMPLE)))
        .isCloseTo(Machines.LAUNCH + 4 * Machines.LATENCY, within(5.0));
  }

  @Test
  void shouldSayWhatIsMissingWhenTheMachineCannotDoIt() {
    GpuTiming gpu = Machines.gpu(400, 20, 0, 0);
    assertThatThrownBy(() -> Machines.timing(Machines.node(gpu), 16, 2))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("2 nodes");
    GpuTiming older = new GpuTiming(gpu.launch(), gpu.port(), gpu.copy(), gpu.ownCopy(), gpu.slice(),
        gpu.seen(), gpu.ll(), gpu.ll128(), gpu.start(), Optional.empty());
    assertThatThrownBy(() -> ns(
        Machines.timing(Machines.node(older), 8, 1), CollectiveOp.ALL_REDUCE, 8,
        on(16, Algorithm.NVLS, Protocol.SIMPLE)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("NVLS");
    assertThatThrownBy(() -> new RankLayout(10, 4)).hasMessageContaining("10 ranks");
    assertThatThrownBy(() -> new PairChannels(8, 4, false)).hasMessageContaining("8 of 4");
    assertThatThrownBy(() -> on(0, Algorithm.RING, Protocol.LL)).hasMessageContaining("0");
    assertThatThrownBy(() -> Machines.timing(Machines.node(gpu), 8, 1)
        .pairs(CollectiveOp.ALL_REDUCE, 8, new PairChannels(1, 1, false), false))
        .hasMessageContaining("all_reduce");
  }
}
