package dev.heddle.collectives.nccl.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proofs and counts of schedules over random rings and trees of many sizes. */
class SchedulesTest {
  private static final int WINDOW = 2;

  private record RandomRings(int[][] order, int[][] position) implements Rings {
    static RandomRings of(int channels, int ranks, RandomStream random) {
      int[][] order = new int[channels][];
      int[][] position = new int[channels][ranks];
      for (int channel = 0; channel < channels; channel++) {
        order[channel] = shuffled(ranks, random);
        for (int place = 0; place < ranks; place++) {
          position[channel][order[channel][place]] = place;
        }
      }
      return new RandomRings(order, position);
    }

    @Override
    public int channels() {
      return order.length;
    }

    @Override
    public int ranks() {
      return order[0].length;
    }

    @Override
    public int position(int channel, int rank) {
      return position[channel][rank];
    }

    @Override
    public int rank(int channel, int place) {
      return order[channel][place];
    }
  }

  /**
   * Random trees: every rank but the first of a random order is a child of an earlier rank with fewer than
   * three children.
   */
  private record RandomTrees(int[][] parents) implements Trees {
    static RandomTrees of(int channels, int ranks, RandomStream random) {
      int[][] parents = new int[channels][ranks];
      for (int[] parent : parents) {
        int[] order = shuffled(ranks, random);
        int[] children = new int[ranks];
        parent[order[0]] = -1;
        for (int i = 1; i < ranks; i++) {
          int above = order[random.nextInt(i)];
          while (children[above] == 3) {
            above = order[random.nextInt(i)];
          }
          children[above]++;
          parent[order[i]] = above;
        }
      }
      return new RandomTrees(parents);
    }

    @Override
    public int channels() {
      return parents.length;
    }

    @Override
    public int ranks() {
      return parents[0].length;
    }

    @Override
    public int parent(int channel, int rank) {
      return parents[channel][rank];
    }

    @Override
    public int[] children(int channel, int rank) {
      return IntStream.range(0, ranks()).filter(other -> parents[channel][other] == rank).toArray();
    }
  }

  /** Peers at growing distance, with the parts of a message on neighbouring channels. */
  private record Distances(int ranks, int parts, int channels, int concurrentPeers, int localRanks) implements Peers {
    @Override
    public boolean selfCopySeparate() {
      return false;
    }

    @Override
    public int[] neighbours(int rank) {
      int first = rank / localRanks * localRanks;
      return IntStream.range(first, Math.min(first + localRanks, ranks)).toArray();
    }

    // The neighbour at the receiver's place, if there is one.
    @Override
    public int relay(int rank, int peer) {
      int first = rank / localRanks * localRanks;
      int relay = first + peer % localRanks;
      return peer / localRanks == rank / localRanks || relay >= ranks ? rank : relay;
    }

    @Override
    public int rounds() {
      return ranks;
    }

    @Override
    public int target(int rank, int round) {
      return (rank + round) % ranks;
    }

    @Override
    public int source(int rank, int round) {
      return Math.floorMod(rank - round, ranks);
    }

    @Override
    public int channel(int round, int part) {
      return (round * parts + part) % channels;
    }
  }

  private static int[] shuffled(int count, RandomStream random) {
    int[] order = IntStream.range(0, count).toArray();
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int kept = order[i];
      order[i] = order[other];
      order[other] = kept;
    }
    return order;
  }

  private static Verdict prove(Schedule schedule) {
    Verdict verdict = Verifier.withWindow(WINDOW).verify(schedule);
    assertThat(verdict.findings()).as("%s, seed %s", schedule, Seeds.fixed()).isEmpty();
    return verdict;
  }

  private static List<Collective> collectives(CollectiveOp op, int ranks) {
    List<Collective> all = new ArrayList<>();
    for (long bytes : new long[] {0, 1, 1000, 999_983}) {
      all.add(Collective.of(op, ranks, bytes, (int) (bytes % ranks)));
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 16})
  void shouldBeProvedWhenRingsAreOfAnyOrder(int ranks) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "rings" + ranks);
    for (int channels : new int[] {1, 2, 5}) {
      for (int loops : new int[] {1, 3}) {
        Rings rings = RandomRings.of(channels, ranks, random);
        for (CollectiveOp op : List.of(
            CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.BROADCAST,
            CollectiveOp.REDUCE)) {
          collectives(op, ranks).forEach(collective -> prove(RingSteps.schedule(rings, collective, loops)));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 16})
  void shouldSendWhatARingNeedsWhenItReduces(int ranks) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "bytes" + ranks);
    Rings rings = RandomRings.of(4, ranks, random);
    long bytes = 4L * 3 * ranks * 100;
    ScheduleCounts counts =
        ScheduleCounts.of(RingSteps.schedule(rings, Collective.of(CollectiveOp.ALL_REDUCE, ranks, bytes), 3));
    for (int rank = 0; rank < ranks; rank++) {
      assertThat(counts.bytesSent(rank)).isEqualTo(2 * bytes * (ranks - 1) / ranks);
      assertThat(counts.messages(rank)).isEqualTo(4 * 3 * 2 * (ranks - 1));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 16, 33})
  void shouldBeProvedWhenTreesAreOfAnyShape(int ranks) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "trees" + ranks);
    for (int channels : new int[] {1, 4}) {
      for (int chunks : new int[] {1, 2, 7}) {
        Trees trees = RandomTrees.of(channels, ranks, random);
        collectives(CollectiveOp.ALL_REDUCE, ranks)
            .forEach(collective -> prove(TreeSteps.schedule(trees, collective, chunks, channels > 1)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 7, 8, 12, 16, 31})
  void shouldBeProvedAndTakeLogarithmicRoundsWhenTreesAreAggregated(int ranks) {
    int phases = Integer.SIZE - Integer.numberOfLeadingZeros(ranks - 1);
    int longest = Integer.numberOfTrailingZeros(Integer.highestOneBit(ranks));
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER)) {
      for (Collective collective : collectives(op, ranks)) {
        Verifier wide = Verifier.withWindow(ranks);
        Schedule schedule = PatSteps.schedule(collective, 3, 2);
        Verdict verdict = wide.verify(schedule);
        assertThat(verdict.findings()).as("%s", schedule).isEmpty();
        assertThat(verdict.rounds()).isBetween(longest, phases);
        assertThat(ScheduleCounts.of(schedule).messages(0)).isEqualTo(3 * (ranks - 1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 20})
  void shouldBeProvedWhenPeersExchange(int ranks) {
    for (Distances peers : List.of(
        new Distances(ranks, 1, 1, 8, 1), new Distances(ranks, 2, 4, 8, 1), new Distances(ranks, 4, 8, 1, 1),
        new Distances(ranks, 1, 1, 8, 4), new Distances(ranks, 2, 4, 2, 3), new Distances(ranks, 4, 8, 1, 4))) {
      for (CollectiveOp op : List.of(
          CollectiveOp.ALL_TO_ALL, CollectiveOp.SEND_RECV, CollectiveOp.GATHER, CollectiveOp.SCATTER)) {
        collectives(op, ranks).forEach(collective -> prove(PeerSteps.schedule(peers, collective, 1 + ranks % 3)));
      }
      prove(PeerSteps.schedule(peers, uneven(ranks), 1 + ranks % 4));
    }
  }

  private static Collective uneven(int ranks) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "pairs");
    long[][] pairs = new long[ranks][ranks];
    for (long[] row : pairs) {
      Arrays.setAll(row, target -> random.nextInt(1000));
    }
    return Collective.allToAllV(pairs);
  }

  @ParameterizedTest
  @CsvSource({"8, true", "300, false"})
  void shouldPassOnForNeighboursOnlyWhereThereAreChannelsForThem(int channels, boolean relayed) {
    Schedule schedule = PeerSteps.schedule(
        new Distances(8, 1, channels, 8, 4), Collective.of(CollectiveOp.ALL_TO_ALL, 8, 8000), 3);
    prove(schedule);
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    assertThat(counts.bytes(0, 5)).isEqualTo(relayed ? 0 : 1000);
    assertThat(counts.bytes(1, 5)).isEqualTo(relayed ? 4000 : 1000);
  }

  @Test
  void shouldCopyOnceAtEachEndOverWhatTheChannelSharesWhenNeighboursPassOn() {
    Schedule schedule = PeerSteps.schedule(
        new Distances(8, 1, 2, 8, 4), Collective.of(CollectiveOp.SCATTER, 8, 8000), 3);
    RankSteps root = schedule.steps(0);
    for (int block = 0; block < root.threadBlocks(); block++) {
      // Channels from 2 on are the two channels of relayed messages.
      assertThat(root.copyEngine(block)).isEqualTo(2 * (root.channel(block) % 2));
      assertThat(root.isAsynchronous(root.firstStep(block))).isFalse();
    }
    RankSteps neighbour = schedule.steps(1);
    int relaying = 0;
    for (int block = 0; block < neighbour.threadBlocks(); block++) {
      if (neighbour.sendPeer(block) == 5) {
        assertThat(neighbour.copyEngine(block)).isEqualTo(RankSteps.NONE);
        assertThat(neighbour.isAsynchronous(neighbour.firstStep(block))).isTrue();
        relaying++;
      }
    }
    assertThat(relaying).isEqualTo(1);
    assertThat(schedule.steps(5).copyEngine(0)).isOdd();
  }

  /** A chain of domains of equal size, in which all first members are heads. */
  private record Domains(int count, int size, int heads) implements NvlsDomains {
    @Override
    public int ranks() {
      return count * size;
    }

    @Override
    public int domain(int rank) {
      return rank / size;
    }

    @Override
    public int[] members(int domain) {
      return IntStream.range(domain * size, (domain + 1) * size).toArray();
    }

    @Override
    public int head(int domain, int head) {
      return domain * size + head;
    }

    @Override
    public int parent(int channel, int domain) {
      return domain == 0 ? -1 : (domain - 1) / 2;
    }

    @Override
    public int[] children(int channel, int domain) {
      return IntStream.of(2 * domain + 1, 2 * domain + 2).filter(child -> child < count).toArray();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6})
  void shouldBeProvedWhenSwitchesAdd(int domains) {
    for (Domains each : List.of(new Domains(domains, 2, 2), new Domains(domains, 4, 4), new Domains(domains, 5, 3))) {
      for (int chunks : new int[] {1, 3}) {
        collectives(CollectiveOp.ALL_REDUCE, each.ranks())
            .forEach(collective -> prove(NvlsSteps.schedule(each, SharpTrees.none(), collective, 2, chunks)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void shouldBeProvedWhenSwitchesGatherAndScatterBlocks(int ranks) {
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER)) {
      for (int chunks : new int[] {1, 3}) {
        Domains domain = new Domains(1, ranks, ranks);
        collectives(op, ranks)
            .forEach(collective -> prove(NvlsBlockSteps.schedule(domain, SharpTrees.none(), collective, 2, chunks)));
      }
    }
  }

  @Test
  void shouldLoadALinkByOnePartMoreThanTheDataWhenSwitchesAdd() {
    long bytes = 8L * 2 * 3 * 1000;
    Schedule schedule =
        NvlsSteps.schedule(new Domains(1, 8, 8), SharpTrees.none(), Collective.of(CollectiveOp.ALL_REDUCE, 8, bytes), 2,
            3);
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    for (int rank = 0; rank < 8; rank++) {
      assertThat(counts.bytesSent(rank)).isEqualTo(bytes + bytes / 8);
      assertThat(counts.bytes(8, rank)).isEqualTo(bytes + bytes / 8);
    }
  }

  /** A random tree of aggregators over the heads of one number, in which each has a child. */
  private static NetworkTree tree(NvlsDomains domains, int head, int aggregators, RandomStream random) {
    int[] parents = new int[aggregators];
    int[] terminals = new int[aggregators];
    for (int aggregator = 0; aggregator < aggregators; aggregator++) {
      parents[aggregator] = aggregator == 0 ? -1 : random.nextInt(aggregator);
      terminals[aggregator] = 1000 + aggregator;
    }
    int[] ranks = IntStream.range(0, domains.count()).map(domain -> domains.head(domain, head)).toArray();
    // Every aggregator without others below has a head below.
    int[] bare = IntStream.range(0, aggregators)
        .filter(aggregator -> IntStream.of(parents).noneMatch(parent -> parent == aggregator)).toArray();
    int[] unitOfTeam = IntStream.range(0, ranks.length)
        .map(domain -> domain < bare.length ? bare[domain] : random.nextInt(aggregators)).toArray();
    return new NetworkTree(terminals, parents, ranks, unitOfTeam);
  }

  private static SharpTrees networkTrees(NvlsDomains domains, int channels, int[] shape, RandomStream random) {
    List<NetworkTree> ofHeads =
        IntStream.range(0, domains.heads()).mapToObj(head -> tree(domains, head, shape[1], random)).toList();
    return new SharpTrees(
        IntStream.range(0, channels * domains.heads()).mapToObj(treeNumber -> ofHeads.get(treeNumber % domains.heads()))
            .toList(),
        shape[0], 2 * channels);
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "5, 4", "6, 3"})
  void shouldBeProvedWhenTheNetworkAdds(int nodes, int aggregators) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "network" + nodes);
    for (Domains each : List.of(
        new Domains(nodes, 1, 1), new Domains(nodes, 2, 2), new Domains(nodes, 4, 4), new Domains(nodes, 5, 3))) {
      for (int chunks : new int[] {1, 3}) {
        SharpTrees direct = networkTrees(each, 2, new int[] {each.ranks(), aggregators}, random);
        SharpTrees behind = networkTrees(each, 2, new int[] {each.ranks() + nodes, aggregators}, random);
        for (Collective collective : collectives(CollectiveOp.ALL_REDUCE, each.ranks())) {
          prove(CollNetDirectSteps.schedule(each, direct, collective, 2, chunks));
          prove(NvlsSteps.schedule(each, behind, collective, 2, chunks));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "5, 4", "6, 3"})
  void shouldBeProvedWhenTheNetworkGathersAndScattersBlocks(int nodes, int aggregators) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "blocks" + nodes);
    for (Domains each : List.of(new Domains(nodes, 1, 1), new Domains(nodes, 2, 2), new Domains(nodes, 4, 4))) {
      SharpTrees direct = networkTrees(each, 2, new int[] {each.ranks(), aggregators}, random);
      SharpTrees behind = networkTrees(each, 2, new int[] {each.ranks() + nodes, aggregators}, random);
      for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER)) {
        for (int chunks : new int[] {1, 3}) {
          for (Collective collective : collectives(op, each.ranks())) {
            prove(NvlsBlockSteps.schedule(each, behind, collective, 2, chunks));
            prove(CollNetDirectBlockSteps.schedule(each, direct, collective, 2, chunks));
          }
        }
      }
    }
  }

  @Test
  void shouldHandABlockUpOnceAndTheOthersDownWhenTheNetworkGathers() {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "rails");
    Domains domains = new Domains(3, 4, 4);
    long bytes = 12L * 2 * 3 * 100;
    Schedule schedule = NvlsBlockSteps.schedule(
        domains, networkTrees(domains, 2, new int[] {15, 1}, random), Collective.of(CollectiveOp.ALL_GATHER, 12, bytes),
        2, 3);
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    for (int rank = 0; rank < 12; rank++) {
      // One block to the network, and the three of the rail to the switches of the node.
      assertThat(counts.bytesSent(rank)).isEqualTo(bytes / 12 + 3 * bytes / 12);
    }
    long aggregators = IntStream.range(15, schedule.participants()).mapToLong(counts::bytesSent).sum();
    assertThat(aggregators).isEqualTo(12 * 2 * bytes / 12);
  }

  /** The ranks of each domain in order, the first below its channel's tree. */
  private record Chains(Domains domains, SharpTrees networkTrees, int channels) implements Trees {
    @Override
    public int ranks() {
      return domains.ranks();
    }

    @Override
    public int parent(int channel, int rank) {
      return rank % domains.size() == 0 ? networkTrees.above(channel, domains.domain(rank)) : rank - 1;
    }

    @Override
    public int[] children(int channel, int rank) {
      return rank % domains.size() == domains.size() - 1 ? new int[0] : new int[] {rank + 1};
    }
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "3, 2", "5, 4", "6, 3"})
  void shouldBeProvedWhenTheNetworkJoinsChains(int nodes, int aggregators) {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "chains" + nodes);
    for (int size : new int[] {1, 2, 8}) {
      Domains domains = new Domains(nodes, size, 1);
      SharpTrees networkTrees = new SharpTrees(
          List.of(tree(domains, 0, aggregators, random), tree(domains, 0, aggregators, random)), domains.ranks(), 0);
      for (int chunks : new int[] {1, 3}) {
        collectives(CollectiveOp.ALL_REDUCE, domains.ranks())
            .forEach(collective -> prove(
                TreeSteps.schedule(new Chains(domains, networkTrees, 2), networkTrees, collective, chunks)));
      }
    }
  }

  @Test
  void shouldSendEachHeadsPartUpAndDownOnceWhenTheNetworkAdds() {
    RandomStream random = RandomStream.of(Seeds.fixed(), "SchedulesTest", "loads");
    Domains domains = new Domains(3, 4, 4);
    long bytes = 4L * 2 * 3 * 1000;
    Schedule schedule = CollNetDirectSteps.schedule(
        domains, networkTrees(domains, 2, new int[] {12, 2}, random), Collective.of(CollectiveOp.ALL_REDUCE, 12, bytes),
        2, 3);
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    for (int rank = 0; rank < 12; rank++) {
      // Three quarters to the other heads, one to the network, and the result of that one to three ranks.
      assertThat(counts.bytesSent(rank)).isEqualTo(bytes * 3 / 4 + bytes / 4 + 3 * bytes / 4);
    }
    long aggregators = IntStream.range(12, schedule.participants()).mapToLong(counts::bytesSent).sum();
    // Each part goes down to three heads, and once in each direction between the two aggregators.
    assertThat(aggregators).isEqualTo(3 * bytes + 2 * bytes);
  }
}
