package dev.heddle.network.packet;

import com.google.common.primitives.ImmutableLongArray;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.MessageNumbers;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tracing of the links that a collective call uses. A call qualifies where packets carry all its messages, and their
 * routes are known beforehand, and lie in one partition.
 */
final class FootprintTracer {
  private static final int MOST_PAIRS = 1 << 18;
  private static final int NO_GROUP = -1;
  private static final int RECEIVER_SHIFT = 16;
  private static final int SENDER_SHIFT = 40;
  private static final int RAILS = 1 << RECEIVER_SHIFT;

  private final Partition partition;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final RunContext setup;
  private final Fabric fabric;
  private final CollectiveGroups groups;
  private final int[] candidates;
  private final Map<CallPattern.Key, CallPattern> patterns = new LinkedHashMap<>();
  private final Map<Hosts, Optional<CallShape>> hosts = new LinkedHashMap<>();

  FootprintTracer(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.state = state;
    this.setup = setup;
    fabric = plan.fabric;
    groups = setup.communicators;
    candidates = new int[fabric.maxCandidates()];
  }

  /**
   * The shape of a group's call; null where it does not qualify.
   *
   * @param guests messages of ranks' own programs
   */
  @Nullable
  CallShape trace(int group, Schedule schedule, List<Guest> guests) {
    int size = schedule.ranks() + schedule.layout().aggregators();
    int[] terminals = IntStream.range(0, size).map(
        position -> position < schedule.ranks()
            ? groups.terminal(group, position) : schedule.aggregators().get(position - schedule.ranks()))
        .toArray();
    List<RankSteps> steps = new ArrayList<>();
    int[] streams = new int[size + guests.size()];
    List<int[]> paths = new ArrayList<>();
    TreeSet<Long> pairs = new TreeSet<>();
    for (int position = 0; position < size; position++) {
      RankSteps own = schedule.steps(position);
      steps.add(own);
      streams[position] = own.threadBlocks();
      boolean waits = position < schedule.ranks() ? waits(own, schedule.protocol()) : receives(own);
      if (!waits || !collectPairs(own, position, pairs)
          || fabric.hasMemory(terminals[position])) {
        return null;
      }
    }
    for (long pair : pairs) {
      int source = terminals[(int) (pair >>> SENDER_SHIFT)];
      int destination = terminals[(int) (pair >>> RECEIVER_SHIFT) & PacketTable.MAX_DEVICES - 1];
      int[] path = setup.flows == null || setup.flows.carriesPackets(source, destination)
          ? path(Fabric.message(source, (int) pair & RAILS - 1), destination) : null;
      if (path == null) {
        return null;
      }
      paths.add(path);
    }
    return shape(new Members(group, schedule, steps, terminals, streams), guests, pairs, paths);
  }

  /** The shape of messages that terminals send of their own; null where they do not qualify. */
  @Nullable
  CallShape trace(List<Guest> guests) {
    Members none = new Members(NO_GROUP, null, List.of(), new int[0], new int[guests.size()]);
    return shape(none, guests, new TreeSet<>(), new ArrayList<>());
  }

  /** The shape of a call with its messages of ranks' own programs; null where they do not qualify. */
  @Nullable
  CallShape withGuests(PendingCall pending) {
    List<Guest> guests = new ArrayList<>();
    for (PendingCall.Guest each : pending.guests) {
      guests.add(new Guest(pending.shape.position(each.source), each.source, each.peer, each.bytes, each.service));
    }
    Hosts key = new Hosts(pending.shape.group, pending.shape.schedule(), guests);
    return hosts.computeIfAbsent(key, each -> Optional.ofNullable(trace(each.group, each.schedule, guests)))
        .orElse(null);
  }

  private record Hosts(int group, Schedule schedule, List<Guest> guests) {}

  private record Members(
      int group, @Nullable Schedule schedule, List<RankSteps> steps, int[] terminals, int[] streams) {
    TransportModel protocol() {
      return schedule == null ? TransportModel.PLAIN : schedule.protocol();
    }
  }

  private @Nullable CallShape shape(
      Members members, List<Guest> guests, TreeSet<Long> pairs, List<int[]> paths) {
    for (Guest guest : guests) {
      int destination = setup.ranks[guest.peer];
      int[] path = path(Fabric.message(guest.source, MessageNumbers.networkBits(guest.service)), destination);
      if (path == null || fabric.hasMemory(guest.source) || fabric.hasMemory(destination)) {
        return null;
      }
      paths.add(path);
    }
    int[] links = paths.stream().flatMapToInt(Arrays::stream)
        .flatMap(channel -> IntStream.of(TierPlan.linkOf(channel), Fabric.opposite(TierPlan.linkOf(channel))))
        .sorted().distinct().toArray();
    for (int link : links) {
      if (setup.partitionOf[plan.linkSource[link]] != partition.number
          || setup.partitionOf[plan.linkTarget[link]] != partition.number) {
        return null;
      }
    }
    ImmutableLongArray.Builder structure =
        structure(members.group, members.protocol(), members.terminals, links, pairs, paths);
    for (int i = 0; i < guests.size(); i++) {
      Guest guest = guests.get(i);
      structure.add(guest.position).add(guest.bytes).add(guest.service);
      structure.add(fabric.sameNode(guest.source, setup.ranks[guest.peer]) ? 1 : 0);
      describe(paths.get(pairs.size() + i), links, structure);
    }
    Schedule schedule = members.schedule;
    CallPattern pattern = patterns.computeIfAbsent(
        new CallPattern.Key(
            members.steps, schedule == null ? null : schedule.layout(), members.protocol(), structure.build()),
        key -> new CallPattern());
    return new CallShape(
        members.group, schedule, pattern, footprint(links), members.terminals, members.streams);
  }

  /**
   * A message that a rank's own program sends.
   *
   * @param position of the rank among the members; negative for a rank that is none, 0 without members
   * @param source its terminal
   * @param peer the rank that receives
   */
  record Guest(int position, int source, int peer, long bytes, int service) {}

  // Whether a member's part takes some time: one that ends as it begins must not await the end of the instant.
  private static boolean waits(RankSteps own, TransportModel protocol) {
    return receives(own) || own.threadBlocks() > 0 && protocol.costs().startPs() > 0;
  }

  private static boolean receives(RankSteps own) {
    boolean receives = false;
    for (int step = 0; step < own.size(); step++) {
      receives |= own.kind(step).receives();
    }
    return receives;
  }

  // Messages to a peer come back as credits, on the same rail.
  private static boolean collectPairs(RankSteps own, int position, TreeSet<Long> pairs) {
    for (int block = 0; block < own.threadBlocks(); block++) {
      int peer = own.sendPeer(block);
      if (peer != RankSteps.NONE) {
        int rail = own.sendRail(block) == RankSteps.NONE ? 0 : MessageLabel.onRail(own.sendRail(block), 0);
        pairs.add(pair(position, peer, rail));
        pairs.add(pair(peer, position, rail));
      }
    }
    return pairs.size() <= MOST_PAIRS;
  }

  // A sender and a receiver by their positions, and the label of their messages' rail.
  private static long pair(int sender, int receiver, int rail) {
    return (long) sender << SENDER_SHIFT | (long) receiver << RECEIVER_SHIFT | rail;
  }

  // The channels of a route as the tiers state them, without traffic classes; null where it is drawn or hashed.
  private int @Nullable [] path(long message, int destination) {
    IntStream.Builder path = IntStream.builder();
    int source = Fabric.source(message);
    int device = source;
    int waypoint = fabric.nextWaypoint(source, message, destination);
    while (device != destination) {
      int count = fabric.candidates(device, waypoint, RouteFunction.NONE, candidates);
      int chosen = candidates[0];
      if (count > 1) {
        if (fabric.selection(device, waypoint) != TierPlan.Selection.SOURCE) {
          return null;
        }
        chosen = fabric.sourceChannel(device, waypoint, message, destination);
      }
      path.add(chosen);
      device = plan.linkTarget[TierPlan.linkOf(chosen)];
      if (device == waypoint && device != destination) {
        waypoint = fabric.nextWaypoint(device, message, destination);
      }
    }
    return path.build().toArray();
  }

  private FootprintState footprint(int[] links) {
    int[] channels = Arrays.stream(links)
        .flatMap(link -> IntStream.range(plan.firstChannel[link], plan.firstChannel[link] + plan.channelCount[link]))
        .toArray();
    Map<Integer, TreeSet<Integer>> requesters = new LinkedHashMap<>();
    for (int channel : channels) {
      requesters.computeIfAbsent(plan.linkTarget[plan.channelLink[channel]], device -> new TreeSet<>(List.of(0)))
          .add(plan.requester[channel]);
    }
    int[][] places = new int[channels.length][];
    for (int i = 0; i < channels.length; i++) {
      int device = plan.linkSource[plan.channelLink[channels[i]]];
      places[i] = requesters.getOrDefault(device, new TreeSet<>(List.of(0))).stream().mapToInt(each -> each).toArray();
    }
    int[] linkAt = Arrays.stream(channels).map(each -> Arrays.binarySearch(links, plan.channelLink[each])).toArray();
    return new FootprintState(links, channels, linkAt, places, partition, state);
  }

  private ImmutableLongArray.Builder structure(
      int group, TransportModel protocol, int[] terminals, int[] links, TreeSet<Long> pairs, List<int[]> paths) {
    ImmutableLongArray.Builder words = ImmutableLongArray.builder();
    int[] devices = Arrays.stream(links).map(link -> plan.linkSource[link]).sorted().distinct().toArray();
    words.add(isBound(protocol, terminals) ? group : -1).add(terminals.length).add(links.length).add(devices.length);
    Map<Integer, Integer> nodes = new LinkedHashMap<>();
    for (int terminal : terminals) {
      words.add(Arrays.binarySearch(devices, terminal));
      words.add(nodes.computeIfAbsent(fabric.node(terminal), node -> nodes.size()));
    }
    for (int device : devices) {
      words.add(plan.buffering[device]).add(plan.arbitration[device]).add(plan.outputBuffer[device]);
      words.add(plan.forwardPs[device]).add(plan.switching[device]).add(fabric.bridges(device) ? 1 : 0);
    }
    // Virtual channels may go by the links by which messages come to a device.
    boolean byArrival = Arrays.stream(links).anyMatch(fabric::queuesByArrival);
    for (int link : links) {
      describe(link, devices, words);
      words.add(fabric.queuesByArrival(link) ? 1 : 0).add(byArrival ? plan.arrival[link] : -1);
    }
    int index = 0;
    for (long pair : pairs) {
      words.add(pair);
      describe(paths.get(index++), links, words);
    }
    return words;
  }

  private static void describe(int[] path, int[] links, ImmutableLongArray.Builder words) {
    for (int channel : path) {
      int link = TierPlan.linkOf(channel);
      words.add(TierPlan.channel(Arrays.binarySearch(links, link), channel - TierPlan.channel(link, 0)));
    }
    words.add(-1);
  }

  // The labels of routes go by the group, and those of large messages cannot be told for another one.
  private boolean isBound(TransportModel protocol, int[] terminals) {
    return CallRecord.spreads(protocol) && protocol.connections().adaptiveAbove() != Long.MAX_VALUE
        && Arrays.stream(terminals).anyMatch(terminal -> fabric.node(terminal) != fabric.node(terminals[0]));
  }

  private void describe(int link, int[] devices, ImmutableLongArray.Builder words) {
    words.add(Arrays.binarySearch(devices, plan.linkSource[link]));
    words.add(Arrays.binarySearch(devices, plan.linkTarget[link]));
    words.add(plan.spec[link]).add(plan.latencyPs[link]).add(plan.channelCount[link]).add(plan.channelsPerClass[link]);
    words.add(fabric.linkTier(link) > 0 ? 1 : 0);
    int first = plan.firstChannel[link];
    for (int channel = first; channel < first + plan.channelCount[link]; channel++) {
      words.add(plan.capacityBytes[channel]).add(plan.capacityHeaders[channel]).add(plan.granule[channel]);
      words.add(plan.wholePacket[channel] ? 1 : 0).add(plan.returnPs[channel]);
    }
  }

  /** Whether the messages of a fabric have routes that can be known beforehand. */
  static boolean isPredictable(Fabric fabric) {
    return !fabric.routesByArrival();
  }
}
