package dev.heddle.tier;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
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

/** Collects a tier's devices, links and routes, and checks them. */
public final class TierPlanBuilder {
  static final int NONE = -1;

  final int terminals;
  final List<String> names = new ArrayList<>();
  final List<DeviceKind> kinds = new ArrayList<>();
  final List<@Nullable Switch> switches = new ArrayList<>();
  final List<Integer> linkSource = new ArrayList<>();
  final List<Integer> linkTarget = new ArrayList<>();
  final List<Link> linkModels = new ArrayList<>();
  private final List<Route> routes = new ArrayList<>();
  private final Map<Integer, IntUnaryOperator> rowsByTerminal = new LinkedHashMap<>();
  private final Set<Integer> lastResorts = new LinkedHashSet<>();
  final Set<Integer> byArrival = new LinkedHashSet<>();
  final int[] exits;
  // Of each aggregator the directed link from its switch.
  private final List<Integer> aggregators = new ArrayList<>();
  TierPlan.Selection selection = TierPlan.Selection.MESSAGE_HASH;
  private boolean shortestPaths;
  boolean partial;
  @Nullable
  RouteFunction function;
  private int @Nullable [] placeOf;
  int placesPerTree;
  private TreeRow.Choice choice = TreeRow.Choice.DESTINATION;
  final Map<Integer, TreeRow> rows = new LinkedHashMap<>();

  private record Route(int device, int terminal, int[] channels) {}

  /** Starts with the terminals, as devices 0, 1, 2 … */
  public TierPlanBuilder(List<Terminal> terminals) {
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
   * Adds an aggregator to a switch: an engine that receives, reduces and sends as the programs of aggregators define.
   * Routes lead to it from its switch and from the devices that a link joins to that switch, and from it wherever they
   * lead from its switch.
   *
   * @param device the switch
   * @param link between switch and aggregator
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

  /** Makes a terminal forward transit traffic, as a CPU between two root ports does. */
  public TierPlanBuilder forward(int terminal, Switch forwarding) {
    lastResorts.remove(terminal);
    switches.set(terminal, forwarding);
    return this;
  }

  /** Makes a terminal forward only the traffic for which no shortest path avoids all such terminals. */
  public TierPlanBuilder forwardAsLastResort(int terminal, Switch forwarding) {
    forward(terminal, forwarding);
    lastResorts.add(terminal);
    return this;
  }

  /**
   * Connects two devices by the same link in both directions; returns the directed link from {@code a} to {@code b}.
   */
  public int connect(int a, int b, Link link) {
    return connect(a, b, link, link);
  }

  /**
   * Sets the NIC by which a terminal's messages leave the node, and arrive. Without it NICs are shared out in blocks
   * among the terminals of its kind.
   *
   * @throws IllegalArgumentException when {@code nic} is none
   */
  public TierPlanBuilder egressNic(int terminal, int nic) {
    if (nic >= terminals || kinds.get(nic) != DeviceKind.NIC) {
      throw new IllegalArgumentException(names.get(terminal) + " cannot leave by " + names.get(nic));
    }
    exits[terminal] = nic;
    return this;
  }

  /**
   * Connects two devices; returns the directed link from {@code a} to {@code b}, whose number is even. The number of
   * the reverse link is one higher.
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
  public TierPlanBuilder route(int device, int terminal, int... channels) {
    routes.add(new Route(device, terminal, channels.clone()));
    return this;
  }

  /**
   * Routes from a device to every terminal.
   *
   * @param channels for each terminal the channel that leads there, or a negative number where this call does not
   * define it
   */
  public TierPlanBuilder routes(int device, IntUnaryOperator channels) {
    rowsByTerminal.put(device, channels);
    return this;
  }

  /**
   * Fills every route not given explicitly with the shortest paths in hops over forwarding devices, lowest link first.
   * The virtual channel of a link between peers is the number of such links that follow on the path, as far as the link
   * has enough: accelerators that forward for each other then cannot deadlock.
   */
  public TierPlanBuilder routeByShortestPaths() {
    shortestPaths = true;
    return this;
  }

  /** Lets terminals without a route to each other stand, as those that a link that is down has cut off. */
  public TierPlanBuilder allowMissingRoutes() {
    partial = true;
    return this;
  }

  /**
   * Queues traffic behind a link by its input port, as a memory has a queue for each port of a chip's fabric: the
   * link's virtual channels are chosen by the link of arrival, instead of route and traffic class, as far as it has
   * enough. Only for links whose target always consumes its input, since no channel order keeps such queues free of
   * deadlock.
   */
  public TierPlanBuilder vcByInputPort(int link) {
    byArrival.add(link);
    return this;
  }

  /**
   * Makes the plan a tree: every device gets its routes by {@link #route(int, TreeRow)}.
   *
   * @param places leaf positions of the terminals, each different
   * @param treeChoice choice among several channels
   */
  public TierPlanBuilder tree(int[] places, TreeRow.Choice treeChoice) {
    return trees(places, Integer.MAX_VALUE, treeChoice);
  }

  /**
   * Makes the plan a set of disjoint trees: no route leads from the terminals of one to those of another.
   *
   * @param places leaf positions of the terminals, each different
   * @param perTree leaf positions of a tree, at least 1; the trees are numbered consecutively
   * @param treeChoice choice among several channels
   */
  public TierPlanBuilder trees(int[] places, int perTree, TreeRow.Choice treeChoice) {
    placeOf = places.clone();
    placesPerTree = perTree;
    choice = treeChoice;
    return this;
  }

  int[] placesOrNone() {
    return placeOf == null ? new int[0] : placeOf;
  }

  /** Routes from a device of a tree to all terminals. */
  public TierPlanBuilder route(int device, TreeRow row) {
    rows.put(device, row);
    return this;
  }

  /** Lets a function work all routes out, in place of a table. */
  public TierPlanBuilder routeBy(RouteFunction value) {
    function = value;
    return this;
  }

  /** Sets the choice among several candidates; by message hash unless given. */
  public TierPlanBuilder selection(TierPlan.Selection value) {
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
      requireOwn(device, NONE, row.up());
      for (int[] channels : row.down()) {
        requireOwn(device, NONE, channels);
      }
      tree[device] = row;
    }
    new TreeCheck(tree, places, names.toArray(new String[0]), channel -> linkTarget.get(TierPlan.linkOf(channel)))
        .check(placesPerTree);
    CandidateSets sets = new CandidateSets();
    TreeRoutes computed = new TreeRoutes(places, placesPerTree, tree, choice, sets::entry);
    AggregatorRoutes units = aggregatorRoutes(sets::entry);
    int[][] candidates = sets.all();
    if ((long) devices * terminals > TierPlan.MOST_ENTRIES) {
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

  private void requireOwn(int device, int terminal, int... channels) {
    for (int channel : channels) {
      int source = linkSource.get(TierPlan.linkOf(channel));
      if (source != device) {
        throw new IllegalStateException((terminal == NONE ? "a row of " + names.get(device)
            : "the route from " + names.get(device) + " to " + names.get(terminal)) + " takes a link that begins at "
            + names.get(source));
      }
    }
  }

  private TierPlan buildTable() {
    int devices = names.size();
    int[] table = new int[Math.multiplyExact(devices, terminals)];
    Arrays.fill(table, NONE);
    CandidateSets sets = new CandidateSets();
    rowsByTerminal.forEach((device, channels) -> {
      for (int terminal = 0; terminal < terminals; terminal++) {
        int channel = channels.applyAsInt(terminal);
        if (channel >= 0) {
          requireOwn(device, terminal, channel);
          table[device * terminals + terminal] = channel;
        }
      }
    });
    for (Route route : routes) {
      requireOwn(route.device(), route.terminal(), route.channels());
      table[route.device() * terminals + route.terminal()] = sets.entry(route.channels());
    }
    if (shortestPaths) {
      boolean[] lastResort = new boolean[devices];
      lastResorts.forEach(device -> lastResort[device] = true);
      new ShortestPaths(graph(), lastResort).fill(table);
    }
    AggregatorRoutes units = aggregatorRoutes(sets::entry);
    int[][] candidates = sets.all();
    new RouteCheck(graph(), table, candidates).check(partial);
    return new TierPlan(this, table, candidates, null, units);
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

  static int[] ints(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }
}
