package dev.heddle.tier;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One tier as data: devices, links and routes, in numbers that are local to the tier.
 *
 * <p>Devices 0 to {@code terminals() - 1} are the terminals; the others were added by the topology. A full-duplex link
 * is two directed links, {@code n} and {@code n ^ 1}. A route entry names, for a device and a destination terminal, the
 * <em>channels</em> that lead on: a directed link and one of its virtual channels, packed by {@link #channel}.
 */
public final class TierPlan {
  /** The choice among several candidate channels. */
  public enum Selection {
    /** By a hash of source, destination and message: packets of one message stay together (ECMP). */
    MESSAGE_HASH,
    /** At random for every burst, from the device's own random stream. */
    RANDOM,
    /** The channel with the least queued bytes; one of several is drawn from the device's own random stream. */
    ADAPTIVE,
    /**
     * By the source terminal: the candidate at the index of its number in the tier, modulo the number of candidates. A
     * channel may occur several times. For source-based oblivious routing (S-mod-K).
     */
    SOURCE,
    /**
     * By load: one of the shortest paths and one of the detours are drawn at random for every burst; the detour is
     * taken where the queue of the shortest path is more than twice as long [Kim et al. 2008, UGAL with local
     * information].
     */
    UGAL
  }

  /** The most virtual channels of a link. */
  public static final int MAX_VIRTUAL_CHANNELS = 8;

  /** Tables of more entries are not kept; a tree's routes are then computed. */
  public static final long MOST_ENTRIES = 1L << 22;

  private final int terminals;
  private final String[] names;
  private final DeviceKind[] kinds;
  private final @Nullable Switch[] switches;
  private final int[] linkSource;
  private final int[] linkTarget;
  private final Link[] linkModels;
  private final int[] channelsPerClass;
  private final boolean[] byArrival;
  private final int[] firstLink;
  private final int[] routes;
  private final int[][] candidates;
  private final Selection selection;
  private final boolean partial;
  private final int[] exits;
  private final @Nullable TreeRoutes tree;
  private final AggregatorRoutes aggregators;

  // The routing function where routes depend on the channel by which a message arrived, else null.
  private final @Nullable RouteFunction function;

  // The tree where there is no table, else null.
  private final @Nullable TreeRoutes computed;

  TierPlan(
      TierPlanBuilder builder, int[] routes, int[][] candidates, @Nullable TreeRoutes tree,
      AggregatorRoutes aggregators) {
    this.terminals = builder.terminals;
    this.aggregators = aggregators;
    this.names = builder.names.toArray(new String[0]);
    this.kinds = builder.kinds.toArray(new DeviceKind[0]);
    this.switches = builder.switches.toArray(new Switch[0]);
    this.linkSource = TierPlanBuilder.ints(builder.linkSource);
    this.linkTarget = TierPlanBuilder.ints(builder.linkTarget);
    this.linkModels = builder.linkModels.toArray(new Link[0]);
    this.firstLink = firstLinks(linkSource, names.length);
    this.routes = routes;
    this.candidates = candidates;
    channelsPerClass = new int[linkSource.length];
    Arrays.fill(channelsPerClass, 1);
    countChannels(Arrays.stream(routes).filter(entry -> entry >= 0).toArray());
    Arrays.stream(candidates).forEach(this::countChannels);
    builder.rows.values().forEach(row -> {
      countChannels(row.up());
      Arrays.stream(row.down()).forEach(this::countChannels);
    });
    byArrival = new boolean[linkSource.length];
    builder.byArrival.forEach(link -> byArrival[link] = true);
    this.selection = builder.selection;
    this.partial = builder.partial || aggregators.count() > 0
        || Arrays.stream(builder.placesOrNone()).anyMatch(place -> place >= builder.placesPerTree);
    this.exits = builder.exits.clone();
    this.function = builder.function;
    for (int link = 0; function != null && link < linkSource.length; link++) {
      channelsPerClass[link] = function.virtualChannels(link);
    }
    this.tree = tree;
    this.computed = routes.length > 0 ? null : tree;
  }

  private void countChannels(int[] channels) {
    for (int channel : channels) {
      int link = linkOf(channel);
      channelsPerClass[link] = Math.max(channelsPerClass[link], virtualChannelOf(channel) + 1);
    }
  }

  private static int[] firstLinks(int[] linkSource, int devices) {
    int[] first = new int[devices];
    Arrays.fill(first, TierPlanBuilder.NONE);
    for (int link = linkSource.length - 1; link >= 0; link--) {
      first[linkSource[link]] = link;
    }
    return first;
  }

  /** Packs a directed link and a virtual channel. */
  public static int channel(int link, int virtualChannel) {
    if (link < 0 || link >= 1 << 27 || virtualChannel < 0 || virtualChannel >= MAX_VIRTUAL_CHANNELS) {
      throw new IllegalArgumentException("no channel of link " + link + ", virtual channel " + virtualChannel);
    }
    return link * MAX_VIRTUAL_CHANNELS + virtualChannel;
  }

  /** The directed link of a channel. */
  public static int linkOf(int channel) {
    return channel / MAX_VIRTUAL_CHANNELS;
  }

  /** The virtual channel of a channel. */
  public static int virtualChannelOf(int channel) {
    return channel % MAX_VIRTUAL_CHANNELS;
  }

  /**
   * The virtual channel that a message of a traffic class takes where a route names a channel: traffic classes have
   * separate sets of virtual channels, as far as the link has enough, so that the order in which routes take the
   * channels of a set, and with it freedom from deadlock, holds for every class.
   *
   * @param channel of a route
   * @param trafficClass 0 to 7
   * @param perClass virtual channels of the link that routes take, at least 1
   * @param count virtual channels of the link, at least 1
   */
  public static int virtualChannel(int channel, int trafficClass, int perClass, int count) {
    int virtual = virtualChannelOf(channel);
    return trafficClass == 0 || count < 2 * perClass ? virtual
        : virtual + perClass * (trafficClass % (count / perClass));
  }

  /** The number of terminals. */
  public int terminals() {
    return terminals;
  }

  /** The number of devices, terminals included. */
  public int devices() {
    return names.length;
  }

  /** The number of aggregators within switches: the last devices, which can be destinations of messages. */
  public int aggregators() {
    return aggregators.count();
  }

  /** The number of directed links, twice the number of wires. */
  public int links() {
    return linkSource.length;
  }

  /** The name of a device, unique within the tier. */
  public String name(int device) {
    return names[device];
  }

  /** The kind of a device. */
  public DeviceKind kind(int device) {
    return kinds[device];
  }

  /** The forwarding of a device; null for a terminal that only sends and receives. */
  public @Nullable Switch forwarding(int device) {
    return switches[device];
  }

  /** The directed link of the least number that begins at a device; -1 where none does. */
  public int firstLink(int device) {
    return firstLink[device];
  }

  /** The device at which a directed link begins. */
  public int linkSource(int link) {
    return linkSource[link];
  }

  /** The device at which a directed link ends. */
  public int linkTarget(int link) {
    return linkTarget[link];
  }

  /** The model of a directed link. */
  public Link linkModel(int link) {
    return linkModels[link];
  }

  /** The virtual channels of a directed link that routes take: the highest number of one, plus 1; at least 1. */
  public int channelsPerClass(int link) {
    return channelsPerClass[link];
  }

  /** Whether a directed link's virtual channels go by the link by which messages come to its source. */
  public boolean queuesByArrival(int link) {
    return byArrival[link];
  }

  /** The choice among several candidates. */
  public Selection selection() {
    return selection;
  }

  /** The NIC by which a terminal leaves its node, where the topology defines it; else -1. */
  public int egressNic(int terminal) {
    return exits[terminal];
  }

  /**
   * Whether some terminals have no route to each other, as the rails of a network without a spine, or to an aggregator.
   */
  public boolean partial() {
    return partial;
  }

  /** Whether the plan is a tree or several, whose ports in one direction replace each other. */
  public boolean isTree() {
    return tree != null;
  }

  /**
   * The channels that lead from a device towards a terminal.
   *
   * @return at least one; empty only at the terminal itself without a memory in the plan, or where no route leads in a
   * {@link #partial} plan
   */
  public int[] candidates(int device, int terminal) {
    return candidates(device, RouteFunction.NONE, terminal);
  }

  /**
   * The channels that lead from a device towards a terminal for a message that arrived by a channel, which matters
   * where the plan has a {@link #function}.
   *
   * @param arrivedBy the channel, or {@link RouteFunction#NONE}
   */
  public int[] candidates(int device, int arrivedBy, int terminal) {
    if (function != null) {
      int[] into = new int[function.most()];
      int count = device == terminal ? 0 : function.candidates(device, arrivedBy, terminal, into);
      return Arrays.copyOf(into, count);
    }
    int entry = routeEntry(device, terminal);
    return entry == TierPlanBuilder.NONE ? new int[0] : entry >= 0 ? new int[] {entry} : candidates[-2 - entry].clone();
  }

  /** The routing function, where routes depend on the channel by which a message arrived; else null. */
  public @Nullable RouteFunction function() {
    return function;
  }

  /**
   * The raw route entry; of a plan with a {@link #function}, only whether there is one. A channel where there is one,
   * {@code -1} where there is none, and {@code -2 - g} where set {@code g} holds several ({@link #copyCandidates}).
   *
   * @param terminal or an aggregator
   */
  public int routeEntry(int device, int terminal) {
    if (aggregators.involves(device, terminal)) {
      return aggregators.entry(device, terminal);
    }
    if (function != null) {
      return device == terminal ? TierPlanBuilder.NONE : 0;
    }
    return computed == null ? routes[device * terminals + terminal] : computed.entry(device, terminal);
  }

  /**
   * Copies the channels of a set without allocating.
   *
   * @param entry a route entry of -2 or less
   * @param shift added to each channel
   * @param into receives them
   * @return number of channels
   */
  public int copyCandidates(int entry, int shift, int[] into) {
    int[] set = candidates[-2 - entry];
    for (int i = 0; i < set.length; i++) {
      into[i] = set[i] + shift;
    }
    return set.length;
  }

  /**
   * The channel that a set has for a source: the one at the index of the source's number, or of its leaf position in a
   * tree, modulo the size of the set.
   *
   * @param entry a route entry of -2 or less
   * @param source a terminal or an aggregator, which has no leaf position
   */
  public int candidate(int entry, int source) {
    int[] set = candidates[-2 - entry];
    return set[(tree == null || source >= terminals ? source : tree.place(source)) % set.length];
  }

  /** The largest number of candidates of any route, at least 1. */
  public int maxCandidates() {
    if (function != null) {
      return function.most();
    }
    return Arrays.stream(candidates).mapToInt(set -> set.length).max().orElse(1);
  }
}
