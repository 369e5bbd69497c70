package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Search for ranks, groups and links that evolve alike: colour refinement of the graph of ranks, their peers, groups,
 * flows and the links that flows cross.
 *
 * <p>At first a rank has the colour of its program's shape, a link that of its model. In each round a flow is coloured
 * by its size, by its owner and by the share and colour of each link that it crosses; then a link by the flows that
 * cross it, a rank by its flows, peers and groups, a group by its flows and members. When a round divides no class, the
 * partition is equitable: members of a class see the same numbers of members of every other class. Programs, routes and
 * max-min fair rates are functions of what is seen, and rates are unique, so that members of a class do the same at the
 * same times. Colours are hashes of 64 bits; of a million of them two are equal by chance once in 37 million searches.
 */
final class FoldingSearch {
  private static final int NONE = -1;

  /** Mean members of a class of ranks below which folding is no gain. */
  private static final int LEAST_GAIN = 2;

  private final FlowSimulator carrier;
  private final CollectiveGroups communicators;
  private final int[] terminals;
  private final RankShapes shapes;

  // Groups in the order of their first member, by dense index.
  private final LongLongMap groupIndex = new LongLongMap(NONE);
  private int[] groups = new int[64];
  private int groupCount;

  // Flows: owner (a rank, or -1 - index of a group), what is fixed, end of the entries.
  private int flowCount;
  private int[] owner = new int[1024];
  private long[] fixed = new long[1024];
  private int[] entriesEnd = new int[1024];

  // Entries: link, and number of the share and place.
  private int entryCount;
  private int[] entryLink = new int[1 << 14];
  private int[] entryKind = new int[1 << 14];
  private final LongLongMap entryKinds = new LongLongMap(NONE);

  private long[] rankColour;
  private long[] groupColour = new long[0];

  // Links that flows cross, ascending; no other is in a class with one of them.
  private int[] crossed = new int[0];
  private long[] linkColour = new long[0];

  private FoldingSearch(FlowSimulator carrier, Job job, RankShapes shapes) {
    this.carrier = carrier;
    this.shapes = shapes;
    communicators = job.communicators();
    terminals = job.terminals();
    rankColour = new long[shapes.ranks()];
  }

  /** The coarsest partition that colour refinement finds; empty where members of classes may differ, or are too few. */
  static Optional<Folding> find(FlowSimulator carrier, Job job) {
    if (carrier.plan.steady != null || carrier.plan.fabric.spraysPackets()
        || !carrier.plan.fabric.changes().isEmpty()) {
      return Optional.empty();
    }
    return RankShapes.read(job).flatMap(shapes -> new FoldingSearch(carrier, job, shapes).find());
  }

  private Optional<Folding> find() {
    for (int rank = 0; rank < shapes.ranks(); rank++) {
      if (carrier.plan.fabric.hasMemory(terminals[rank]) || !addMessages(rank)) {
        return Optional.empty();
      }
    }
    for (int group = 0; group < groupCount; group++) {
      if (!addCalls(group)) {
        return Optional.empty();
      }
    }
    refine();
    return folding();
  }

  // --- flows ---

  // Whether every message has a receiver that names its sender, and a path that depends on neither load nor chance.
  private boolean addMessages(int rank) {
    for (int group : shapes.groups(rank)) {
      if (groupIndex.get(group) == NONE) {
        groupIndex.put(group, groupCount);
        groups = groupCount == groups.length ? Arrays.copyOf(groups, 2 * groupCount) : groups;
        groups[groupCount++] = group;
      }
    }
    for (RankShapes.Message message : shapes.messages(rank)) {
      int peer = shapes.peers(rank)[message.slot()];
      if (peer == rank || shapes.slotOfPeer(peer, rank) == NONE) {
        return false;
      }
      addMessage(rank, peer, message);
    }
    return !carrier.passage.dynamic();
  }

  private void addMessage(int rank, int peer, RankShapes.Message message) {
    int source = terminals[rank];
    int target = terminals[peer];
    long id = carrier.nextId(source, MessageNumbers.networkBits(message.service()));
    int chosen = carrier.passage.first(source, target, id);
    PathPlanner path = carrier.passage;
    path.plan(
        TierPlan.linkOf(chosen), id, target, message.bytes(), MessageLabel.trafficClass(message.service()));
    for (int i = 0; i < path.count(); i++) {
      addEntry(path.links()[i], path.weights()[i], 1 + i + (i < path.hops() ? 0 : path.count()));
    }
    boolean local = carrier.plan.fabric.sameNode(source, target);
    addFlow(rank, hash(
        message.slot(), message.bytes(), message.service(), chosen - TierPlan.channel(TierPlan.linkOf(chosen), 0),
        path.zeroLoadPs(), path.occupiedPs(), path.hops(), Meter.kind(local)));
  }

  // Whether all calls of a group are coupled flows on such paths.
  private boolean addCalls(int index) {
    int group = groups[index];
    int first = communicators.group(group).member(0);
    int slot = shapes.slotOfGroup(first, group);
    for (RankShapes.Call call : slot == NONE ? List.<RankShapes.Call>of() : shapes.calls(first)) {
      if (call.slot() == slot) {
        List<List<CoupledFlow>> phases =
            carrier.collectives.route(new CollectiveCall(group, call.op(), call.bytes(), call.root()), true);
        if (phases.isEmpty()) {
          return false;
        }
        phases.forEach(flows -> flows.forEach(flow -> addCoupled(index, call, flow)));
      }
    }
    return slot != NONE && !carrier.passage.dynamic();
  }

  private void addCoupled(int index, RankShapes.Call call, CoupledFlow flow) {
    for (int i = 0; i < flow.count(); i++) {
      double times = flow.crossings(i);
      addEntry(flow.links()[i], flow.weights()[i], Math.round(i < flow.hops() ? times : -times));
    }
    addFlow(-1 - index, hash(
        call.op().ordinal(), call.bytes(), call.root(), flow.pipeline().phase(), flow.pipeline().bytes(),
        Double.doubleToLongBits(flow.pipeline().limit()), flow.fillPs(), flow.bytes(Meter.INTRA),
        flow.bytes(Meter.INTER)));
  }

  private static long hash(long... parts) {
    long hash = parts.length;
    for (long part : parts) {
      hash = RandomStream.mix(hash * 31 + part);
    }
    return hash;
  }

  private void addFlow(int of, long traits) {
    if (flowCount == owner.length) {
      owner = Arrays.copyOf(owner, 2 * flowCount);
      fixed = Arrays.copyOf(fixed, 2 * flowCount);
      entriesEnd = Arrays.copyOf(entriesEnd, 2 * flowCount);
    }
    owner[flowCount] = of;
    fixed[flowCount] = traits;
    entriesEnd[flowCount++] = entryCount;
  }

  private void addEntry(int link, double weight, long place) {
    if (entryCount == entryLink.length) {
      int grown = Math.addExact(entryCount, entryCount / 2);
      entryLink = Arrays.copyOf(entryLink, grown);
      entryKind = Arrays.copyOf(entryKind, grown);
    }
    long key = hash(Double.doubleToLongBits(weight), place);
    int kind = (int) entryKinds.get(key);
    if (kind == NONE) {
      kind = entryKinds.size();
      entryKinds.put(key, kind);
    }
    entryLink[entryCount] = link;
    entryKind[entryCount++] = kind;
  }

  // --- refinement ---

  private void refine() {
    groupColour = new long[groupCount];
    for (int rank = 0; rank < rankColour.length; rank++) {
      rankColour[rank] = shapes.shape(rank);
    }
    numberCrossed();
    FlowPlan plan = carrier.plan;
    for (int place = 0; place < crossed.length; place++) {
      int link = crossed[place];
      int target = plan.linkTarget[link];
      linkColour[place] = hash(
          plan.spec[link], plan.latencyPs[link], plan.forwardPs[target], plan.switching[target],
          plan.credits.kind(target));
    }
    long before;
    long after = classes();
    do {
      before = after;
      round();
      after = classes();
    } while (after > before);
  }

  // Entries have links by their places among those that are crossed from here on.
  private void numberCrossed() {
    int[] places = new int[carrier.plan.links];
    int count = 0;
    for (int entry = 0; entry < entryCount; entry++) {
      count += places[entryLink[entry]] == 0 ? 1 : 0;
      places[entryLink[entry]] = 1;
    }
    crossed = new int[count];
    linkColour = new long[count];
    int next = 0;
    for (int link = 0; link < places.length; link++) {
      if (places[link] == 1) {
        crossed[next] = link;
        places[link] = next++;
      }
    }
    for (int entry = 0; entry < entryCount; entry++) {
      entryLink[entry] = places[entryLink[entry]];
    }
  }

  private void round() {
    long[] onLink = new long[linkColour.length];
    long[] ofRank = new long[rankColour.length];
    long[] ofGroup = new long[groupCount];
    int entry = 0;
    for (int flow = 0; flow < flowCount; flow++) {
      int of = owner[flow];
      long sum = 0;
      for (int at = entry; at < entriesEnd[flow]; at++) {
        sum += RandomStream.mix(RandomStream.mix(entryKind[at]) ^ linkColour[entryLink[at]]);
      }
      long colour = hash(fixed[flow], sum, of >= 0 ? rankColour[of] : groupColour[-1 - of]);
      for (; entry < entriesEnd[flow]; entry++) {
        onLink[entryLink[entry]] += RandomStream.mix(colour + RandomStream.mix(entryKind[entry]));
      }
      if (of >= 0) {
        ofRank[of] += colour;
      } else {
        ofGroup[-1 - of] += colour;
      }
    }
    colourOwners(ofRank, ofGroup);
    for (int place = 0; place < onLink.length; place++) {
      linkColour[place] = hash(linkColour[place], onLink[place]);
    }
  }

  private void colourOwners(long[] ofRank, long[] ofGroup) {
    long[] ranks = new long[rankColour.length];
    for (int rank = 0; rank < ranks.length; rank++) {
      long colour = hash(rankColour[rank], ofRank[rank]);
      for (int peer : shapes.peers(rank)) {
        colour = hash(colour, rankColour[peer], shapes.slotOfPeer(peer, rank));
      }
      for (int group : shapes.groups(rank)) {
        colour = hash(colour, groupColour[(int) groupIndex.get(group)]);
      }
      ranks[rank] = colour;
    }
    for (int index = 0; index < groupCount; index++) {
      long sum = 0;
      for (int member : communicators.group(groups[index]).members()) {
        sum += hash(rankColour[member], shapes.slotOfGroup(member, groups[index]));
      }
      groupColour[index] = hash(groupColour[index], ofGroup[index], sum);
    }
    rankColour = ranks;
  }

  private long classes() {
    return distinct(rankColour) + distinct(groupColour) + distinct(linkColour);
  }

  private static long distinct(long[] colours) {
    long[] sorted = colours.clone();
    Arrays.sort(sorted);
    long count = sorted.length == 0 ? 0 : 1;
    for (int i = 1; i < sorted.length; i++) {
      count += sorted[i] == sorted[i - 1] ? 0 : 1;
    }
    return count;
  }

  // --- classes ---

  private Optional<Folding> folding() {
    if (LEAST_GAIN * distinct(rankColour) > rankColour.length) {
      return Optional.empty();
    }
    int[] groupFirst = firsts(groupColour);
    LongLongMap groupOf = new LongLongMap(NONE);
    for (int index = 0; index < groupCount; index++) {
      groupOf.put(groups[index], groups[groupFirst[index]]);
    }
    int[] rankFirst = firsts(rankColour);
    LongLongMap arrivals = new LongLongMap(0);
    for (int rank = 0; rank < rankFirst.length; rank++) {
      if (rankFirst[rank] == rank && !arrive(shapes.groups(rank), groupOf, arrivals)) {
        return Optional.empty();
      }
    }
    return Optional.of(new Folding(
        shapes, rankFirst, groupOf, firstLinks(), Arrays.copyOf(groups, groupCount), arrivals));
  }

  // Counts a representative for its groups' representatives; not where it has two groups of one class.
  private static boolean arrive(int[] own, LongLongMap groupOf, LongLongMap arrivals) {
    LongLongMap seen = new LongLongMap(0);
    for (int group : own) {
      if (seen.increment(groupOf.get(group)) > 0) {
        return false;
      }
      arrivals.increment(groupOf.get(group));
    }
    return true;
  }

  // By link, the first one of its class; the link itself where no flow crosses it.
  private int[] firstLinks() {
    int[] firstPlaces = firsts(linkColour);
    int[] firsts = new int[carrier.plan.links];
    Arrays.setAll(firsts, link -> link);
    for (int place = 0; place < crossed.length; place++) {
      firsts[crossed[place]] = crossed[firstPlaces[place]];
    }
    return firsts;
  }

  // By element, the first one of the same colour.
  private static int[] firsts(long[] colours) {
    LongLongMap first = new LongLongMap(NONE);
    int[] firsts = new int[colours.length];
    for (int i = 0; i < colours.length; i++) {
      int found = (int) first.get(colours[i]);
      if (found == NONE) {
        first.put(colours[i], i);
        found = i;
      }
      firsts[i] = found;
    }
    return firsts;
  }
}
