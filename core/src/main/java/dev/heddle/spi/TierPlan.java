package dev.heddle.spi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One tier as data: devices, links and routes, in numbers that are local to the tier.
 *
 * <p>Devices 0 to {@code terminals() - 1} are the terminals; the others were added by the topology. A full-duplex link
 * is two directed links, {@code n} and {@code n ^ 1}. A route entry names, for a device and a destination terminal, the
 * <em>channels</em> that lead on: a directed link and one of its virtual channels, packed by {@link #channel}.
 */
public final class TierPlan {
  /** How one of several candidate channels is taken. */
  public enum Selection {
    /** By a hash of source, destination and message: packets of one message stay together (ECMP). */
    MESSAGE_HASH,
    /** At random for every unit, from the device's own random stream. */
    RANDOM,
    /** The channel with the least queued bytes; ties go round robin. */
    ADAPTIVE,
    /**
     * By the source terminal: the candidate at the position of its number in the tier, modulo the number of candidates.
     * A channel may stand at several positions. For source-based oblivious routing (S-mod-K).
     */
    SOURCE,
    /**
     * One of the shortest ways and one of the detours are drawn at random for every unit; the detour is taken where the
     * other's queue is more than twice as long [Kim et al. 2008, UGAL with local information].
     */
    UGAL
  }

  /** The most virtual channels of a link. */
  public static final int MAX_VIRTUAL_CHANNELS = 8;

  /** Tables of more entries are not kept; a tree's routes are then computed. */
  private static final long MOST_ENTRIES = 1L << 22;

  private final int terminals;
  private final String[] names;
  private final DeviceKind[] kinds;
  private final @Nullable Switch[] switches;
  private final int[] linkSource;
  private final int[] linkTarget;
  private final Link[] linkModels;
  private final int[] channelsPerClass;
  private final int[] firstLink;
  private final int[] routes;
  private final int[][] candidates;
  private final Selection selection;
  private final boolean partial;
  private final int[] exits;
  private final @Nullable TreeRoutes tree;

  private final AggregatorRoutes aggregators;

  // Where routes depend on the channel by which a message came, else null.
  private final @Nullable RouteFunction function;

  // The tree where there is no table, else null.
  private final @Nullable TreeRoutes computed;

  private TierPlan(
      Builder builder, int[] routes, int[][] candidates, @Nullable TreeRoutes tree, AggregatorRoutes aggregators) {
    this.terminals = builder.terminals;
    this.aggregators = aggregators;
    this.names = builder.names.toArray(new String[0]);
    this.kinds = builder.kinds.toArray(new DeviceKind[0]);
    this.switches = builder.switches.toArray(new Switch[0]);
    this.linkSource = Builder.ints(builder.linkSource);
    this.linkTarget = Builder.ints(builder.linkTarget);
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
    this.selection = builder.selection;
    this.partial = aggregators.count() > 0
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
    Arrays.fill(first, Builder.NONE);
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
   * The virtual channel that a message of a traffic class takes where a route names a channel: traffic classes have sets
   * of virtual channels of their own, as far as the link has so many, so that the order in which routes take the channels
   * of a set, and with it freedom from deadlock, is that of every class.
   *
   * @param channel of a route
   * @param trafficClass 0 to 7
   * @param perClass virtual channels of the link that routes take, at least 1
   * @param count virtual channels of the link, at least 1
   */
  public static int virtualChannel(int channel, int trafficClass, int perClass, int count) {
    int virtual = virtualChannelOf(channel);
    return trafficClass == 0 || count < 2 * perClass ? virtual : virtual + perClass * (trafficClass % (count / perClass));
  }

  /** The number of terminals. */
  public int terminals() {
    return terminals;
  }

  /** The number of devices, terminals included. */
  public int devices() {
    return names.length;
  }

  /** The number of units that reduce within switches: the last devices, which messages can be sent to. */
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

  /** What a device is. */
  public DeviceKind kind(int device) {
    return kinds[device];
  }

  /** How a device forwards; null for a terminal that only sends and receives. */
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

  /** How one of several candidates is taken. */
  public Selection selection() {
    return selection;
  }

  /** The NIC by which a terminal leaves its node, where the topology says; -1 where it does not. */
  public int exit(int terminal) {
    return exits[terminal];
  }

  /**
   * Whether some terminals have no route to each other, as the rails of a network without a spine, or to an aggregator.
   */
  public boolean partial() {
    return partial;
  }

  /**
   * The channels that lead from a device towards a terminal.
   *
   * @return at least one; empty only at the terminal itself without a memory in the plan, or where no route leads in a {@link #partial} plan
   */
  public int[] candidates(int device, int terminal) {
    return candidates(device, RouteFunction.NONE, terminal);
  }

  /**
   * The channels that lead from a device towards a terminal for a message that came by a channel, which matters where the
   * plan has a {@link #function}.
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
    return entry == Builder.NONE ? new int[0] : entry >= 0 ? new int[] {entry} : candidates[-2 - entry].clone();
  }

  /** What works the routes out, where they depend on the channel by which a message came; else null. */
  public @Nullable RouteFunction function() {
    return function;
  }

  /**
   * The raw route entry; of a plan with a {@link #function}, only whether there is one. A channel where there is one, {@code -1} where there is none, and {@code -2 - g} where set
   * {@code g} holds several ({@link #copyCandidates}).
   *
   * @param terminal or an aggregator
   */
  public int routeEntry(int device, int terminal) {
    if (aggregators.concern(device, terminal)) {
      return aggregators.entry(device, terminal);
    }
    if (function != null) {
      return device == terminal ? Builder.NONE : 0;
    }
    return computed == null ? routes[device * terminals + terminal] : computed.entry(device, terminal);
  }

  /**
   * Copies the channels of a set without allocating.
   *
   * @param entry a route entry of -2 or less
   * @param shift added to each channel
   * @param into receives them
   * @return how many
   */
  public int copyCandidates(int entry, int shift, int[] into) {
    int[] set = candidates[-2 - entry];
    for (int i = 0; i < set.length; i++) {
      into[i] = set[i] + shift;
    }
    return set.length;
  }

  /**
   * The channel that a set has for a source: the one at the position of its number, or of its place in a tree, modulo the
   * size of the set.
   *
   * @param entry a route entry of -2 or less
   * @param source a terminal or an aggregator, which has no place
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

  /** Collects a tier's devices, links and routes, and checks them. */
  public static final class Builder {
    private static final int NONE = -1;

    private final int terminals;
    private final List<String> names = new ArrayList<>();
    private final List<DeviceKind> kinds = new ArrayList<>();
    private final List<@Nullable Switch> switches = new ArrayList<>();
    private final List<Integer> linkSource = new ArrayList<>();
    private final List<Integer> linkTarget = new ArrayList<>();
    private final List<Link> linkModels = new ArrayList<>();
    private final List<Route> routes = new ArrayList<>();
    private final Map<Integer, IntUnaryOperator> rowsByTerminal = new LinkedHashMap<>();
    private final Set<Integer> lastResorts = new LinkedHashSet<>();
    private final int[] exits;
    // Of each aggregator the directed link from its switch.
    private final List<Integer> aggregators = new ArrayList<>();
    private Selection selection = Selection.MESSAGE_HASH;
    private boolean shortestPaths;
    private @Nullable RouteFunction function;
    private int @Nullable [] placeOf;
    private int placesPerTree;
    private TreeRow.Choice choice = TreeRow.Choice.DESTINATION;
    private final Map<Integer, TreeRow> rows = new LinkedHashMap<>();

    private record Route(int device, int terminal, int[] channels) {}

    /** Starts with the terminals, as devices 0, 1, 2 … */
    public Builder(List<Terminal> terminals) {
      this.terminals = terminals.size();
      exits = new int[terminals.size()];
      Arrays.fill(exits, NONE);
      for (Terminal terminal : terminals) {
        names.add(terminal.name());
        kinds.add(terminal.kind());
        switches.add(null);
      }
    }

    /**
     * Adds a device that forwards, and returns its number.
     *
     * @throws IllegalStateException when there are aggregators already, which are numbered last
     */
    public int addDevice(String name, DeviceKind kind, Switch forwarding) {
      if (!aggregators.isEmpty()) {
        throw new IllegalStateException(name + " comes after aggregators, which are the last devices");
      }
      return add(name, kind, forwarding);
    }

    /**
     * Gives a switch a unit that receives, adds and sends what programs of aggregators say. Routes lead to it from its
     * switch and from what a link joins to that switch, and from it wherever they lead from its switch.
     *
     * @param device the switch
     * @param link between switch and unit
     */
    public void addAggregator(String name, int device, Link link) {
      aggregators.add(connect(device, add(name, DeviceKind.AGGREGATOR, null), link));
    }

    private int add(String name, DeviceKind kind, @Nullable Switch forwarding) {
      names.add(name);
      kinds.add(kind);
      switches.add(forwarding);
      return names.size() - 1;
    }

    /** Lets a terminal forward what passes through it, as a CPU between two root ports. */
    public Builder forward(int terminal, Switch forwarding) {
      lastResorts.remove(terminal);
      switches.set(terminal, forwarding);
      return this;
    }

    /** Lets a terminal forward what finds no shortest path around all such terminals. */
    public Builder forwardAsLastResort(int terminal, Switch forwarding) {
      forward(terminal, forwarding);
      lastResorts.add(terminal);
      return this;
    }

    /** Connects two devices by the same link both ways; returns the directed link from {@code a} to {@code b}. */
    public int connect(int a, int b, Link link) {
      return connect(a, b, link, link);
    }

    /**
     * Says by which NIC a terminal's messages leave the node, and arrive. Without it NICs are shared out in blocks among
     * the terminals of its kind.
     *
     * @throws IllegalArgumentException when {@code nic} is none
     */
    public Builder leaveBy(int terminal, int nic) {
      if (nic >= terminals || kinds.get(nic) != DeviceKind.NIC) {
        throw new IllegalArgumentException(names.get(terminal) + " cannot leave by " + names.get(nic));
      }
      exits[terminal] = nic;
      return this;
    }

    /**
     * Connects two devices; returns the directed link from {@code a} to {@code b}, whose number is even. The one back
     * is that number plus 1.
     */
    public int connect(int a, int b, Link there, Link back) {
      if (a == b) {
        throw new IllegalArgumentException("a device cannot be linked to itself: " + names.get(a));
      }
      linkSource.add(a);
      linkTarget.add(b);
      linkModels.add(there);
      linkSource.add(b);
      linkTarget.add(a);
      linkModels.add(back);
      return linkSource.size() - 2;
    }

    /**
     * Routes from a device to a terminal over one of the given channels ({@link TierPlan#channel}); from a terminal to
     * itself where its memory is part of the plan.
     *
     * @param channels at least one, of links that begin at the device
     */
    public Builder route(int device, int terminal, int... channels) {
      routes.add(new Route(device, terminal, channels.clone()));
      return this;
    }

    /**
     * Routes from a device to every terminal.
     *
     * @param channels for each terminal the channel that leads there, or a negative number where it is not said here
     */
    public Builder routes(int device, IntUnaryOperator channels) {
      rowsByTerminal.put(device, channels);
      return this;
    }

    /**
     * Fills every route not given explicitly with the shortest paths in hops over forwarding devices, lowest link first.
     * Of a link between peers the virtual channel is the number of such links that follow on the path, as far as it has
     * so many: accelerators that forward for each other cannot wait for each other in a circle then.
     */
    public Builder routeByShortestPaths() {
      shortestPaths = true;
      return this;
    }

    /**
     * Makes the plan a tree: every device gets its routes by {@link #route(int, TreeRow)}.
     *
     * @param places of the terminals, each different
     * @param treeChoice how one of several channels is taken
     */
    public Builder tree(int[] places, TreeRow.Choice treeChoice) {
      return trees(places, Integer.MAX_VALUE, treeChoice);
    }

    /**
     * Makes the plan trees that nothing joins: from the terminals of one no route leads to those of another.
     *
     * @param places of the terminals, each different
     * @param perTree places of a tree, at least 1; those of one follow on those of the other
     * @param treeChoice how one of several channels is taken
     */
    public Builder trees(int[] places, int perTree, TreeRow.Choice treeChoice) {
      placeOf = places.clone();
      placesPerTree = perTree;
      choice = treeChoice;
      return this;
    }

    private int[] placesOrNone() {
      return placeOf == null ? new int[0] : placeOf;
    }

    /** Routes from a device of a tree to all terminals. */
    public Builder route(int device, TreeRow row) {
      rows.put(device, row);
      return this;
    }

    /** Lets a function work all routes out, in place of a table. */
    public Builder routeBy(RouteFunction value) {
      function = value;
      return this;
    }

    /** Says how one of several candidates is taken; by message hash unless given. */
    public Builder selection(Selection value) {
      selection = value;
      return this;
    }

    /**
     * Checks and freezes the plan.
     *
     * @throws IllegalStateException when a terminal is unconnected, a route is missing, leaves another device, or can
     *     run in a circle
     */
    public TierPlan build() {
      if (function != null) {
        if (!aggregators.isEmpty()) {
          throw new IllegalStateException("switches whose routes a function works out have no aggregators");
        }
        new RouteFunctionCheck(graph(), function).check();
        return new TierPlan(this, new int[0], new int[0][], null, aggregatorRoutes(set -> NONE));
      }
      return placeOf == null ? buildTable() : buildTree(placeOf);
    }

    private AggregatorRoutes aggregatorRoutes(ToIntFunction<int[]> entry) {
      return new AggregatorRoutes(graph(), ints(aggregators), entry);
    }

    private TierPlan buildTree(int[] places) {
      int devices = names.size() - aggregators.size();
      TreeRow[] tree = new TreeRow[devices];
      for (int device = 0; device < devices; device++) {
        TreeRow row = rows.get(device);
        if (row == null || places.length != terminals) {
          throw new IllegalStateException("a tree has a row for every device and a place for every terminal; "
              + names.get(device) + " has none");
        }
        requireOwn(device, row.up());
        for (int[] channels : row.down()) {
          requireOwn(device, channels);
        }
        tree[device] = row;
      }
      new TreeCheck(tree, places, names.toArray(new String[0]), channel -> linkTarget.get(linkOf(channel)))
          .check(placesPerTree);
      List<int[]> sets = new ArrayList<>();
      Map<List<Integer>, Integer> setNumbers = new LinkedHashMap<>();
      ToIntFunction<int[]> entry = set -> entry(set, sets, setNumbers);
      TreeRoutes computed = new TreeRoutes(places, placesPerTree, tree, choice, entry);
      AggregatorRoutes units = aggregatorRoutes(entry);
      int[][] candidates = sets.toArray(new int[0][]);
      if ((long) devices * terminals > MOST_ENTRIES) {
        return new TierPlan(this, new int[0], candidates, computed, units);
      }
      int[] table = new int[devices * terminals];
      for (int device = 0; device < devices; device++) {
        for (int terminal = 0; terminal < terminals; terminal++) {
          table[device * terminals + terminal] = device == terminal ? NONE : computed.entry(device, terminal);
        }
      }
      new RouteCheck(graph(), table, candidates).check(true);
      return new TierPlan(this, table, candidates, computed, units);
    }

    private void requireOwn(int device, int[] channels) {
      for (int channel : channels) {
        if (linkSource.get(linkOf(channel)) != device) {
          throw new IllegalStateException("a row of " + names.get(device) + " takes a link that begins at "
              + names.get(linkSource.get(linkOf(channel))));
        }
      }
    }

    private TierPlan buildTable() {
      int devices = names.size();
      int[] table = new int[Math.multiplyExact(devices, terminals)];
      Arrays.fill(table, NONE);
      List<int[]> sets = new ArrayList<>();
      Map<List<Integer>, Integer> setNumbers = new LinkedHashMap<>();
      rowsByTerminal.forEach((device, channels) -> {
        for (int terminal = 0; terminal < terminals; terminal++) {
          int channel = channels.applyAsInt(terminal);
          if (channel >= 0) {
            requireRoute(device, terminal, channel);
            table[device * terminals + terminal] = channel;
          }
        }
      });
      for (Route route : routes) {
        for (int channel : route.channels()) {
          requireRoute(route.device(), route.terminal(), channel);
        }
        table[route.device() * terminals + route.terminal()] = entry(route.channels(), sets, setNumbers);
      }
      if (shortestPaths) {
        boolean[] lastResort = new boolean[devices];
        lastResorts.forEach(device -> lastResort[device] = true);
        new ShortestPaths(graph(), lastResort).fill(table);
      }
      AggregatorRoutes units = aggregatorRoutes(set -> entry(set, sets, setNumbers));
      int[][] candidates = sets.toArray(new int[0][]);
      new RouteCheck(graph(), table, candidates).check(false);
      return new TierPlan(this, table, candidates, null, units);
    }

    private void requireRoute(int device, int terminal, int channel) {
      if (linkSource.get(linkOf(channel)) != device) {
        throw new IllegalStateException("the route from " + names.get(device) + " to " + names.get(terminal)
            + " takes a link that begins at " + names.get(linkSource.get(linkOf(channel))));
      }
    }

    private static int entry(int[] channels, List<int[]> sets, Map<List<Integer>, Integer> setNumbers) {
      if (channels.length == 1) {
        return channels[0];
      }
      List<Integer> key = Arrays.stream(channels).boxed().toList();
      Integer known = setNumbers.get(key);
      if (known == null) {
        known = sets.size();
        setNumbers.put(key, known);
        sets.add(channels);
      }
      return -2 - known;
    }

    private TierGraph graph() {
      boolean[] forwards = new boolean[names.size()];
      for (int device = 0; device < forwards.length; device++) {
        forwards[device] = switches.get(device) != null;
      }
      return new TierGraph(
          terminals, names.toArray(new String[0]), forwards, ints(linkSource), ints(linkTarget),
          linkModels.toArray(new Link[0]));
    }

    private static int[] ints(List<Integer> numbers) {
      return numbers.stream().mapToInt(Integer::intValue).toArray();
    }
  }
}
