package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.search.ChannelGraph.Routes;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A depth-first search for channels under one set of conditions. It adds channel after channel, each of which reserves
 * its bandwidth on all links of its paths, and keeps the best solution. It ends after a number of steps, or when the
 * largest number of channels fits.
 */
final class ChannelSearch {
  /** The result of {@link #run} when no solution can be better. */
  static final int PERFECT = -1;

  private static final int STEPS_BY_INDEX = 1 << 10;
  private static final int NOWHERE = -1;

  private final SystemPaths paths;
  private final SystemGraph graph;
  private final Attempt attempt;
  private final Pattern pattern;
  private final Capacity capacity;
  private final PortRates ports;
  private final int[][] netsOfGpu;
  // By GPU and by the port through which a channel enters: the ports through which it may leave at the GPU; worked out
  // when first asked for.
  private final int[][][] exits;
  private final int[] netsOfAll;
  private final double[] netLatenciesUs;
  private final NextGpus nextGpus;
  private final boolean[][] used;
  private final Routes routes;
  private ChannelGraph best;
  private int channels;
  private int hops;
  private int steps;
  private double latencyUs;

  private enum Order {
    /** By score. */
    SCORED,
    /** By index. */
    INDEX,
    /** In the order of the channel before. */
    REPLAY
  }

  /**
   * The places at which a chain returns: the place after which it goes to a port, and the place from which it returns
   * to its first GPU.
   */
  private record ReturnPlaces(int toNet, int toFirst) {
    private static final ReturnPlaces NEVER = new ReturnPlaces(NOWHERE, NOWHERE);
  }

  /** The reservation of a channel on one path, which may begin or end at a port of the network. */
  private record Reservation(Path path, NodeType from, int rate, boolean networked) {}

  /**
   * The orders of devices in which all searches on one node try them.
   *
   * @param nets ports
   * @param gpus next GPUs of a channel
   */
  record Orders(PreferredNets nets, NextGpus gpus) {}

  ChannelSearch(SystemPaths paths, PortRates ports, Orders orders, Attempt attempt, ChannelGraph best) {
    this.paths = paths;
    this.attempt = attempt;
    this.best = best;
    graph = paths.graph();
    pattern = attempt.pattern();
    capacity = new Capacity(graph);
    this.ports = ports;
    PathType worst = attempt.types().inter();
    netsOfAll = graph.nets() > 0 ? orders.nets().ofAll(worst) : new int[0];
    netsOfGpu = graph.nets() > 0 ? orders.nets().ofEach(worst) : new int[0][];
    netLatenciesUs = IntStream.range(0, graph.nets()).mapToDouble(net -> graph.net(net).latencyUs()).toArray();
    exits = new int[netsOfGpu.length][graph.nets()][];
    nextGpus = orders.gpus();
    used = new boolean[attempt.most()][graph.gpus()];
    routes = new Routes(
        new int[attempt.most()][graph.gpus()], filled(attempt.most()), filled(attempt.most()));
  }

  private static int[] filled(int size) {
    int[] values = new int[size];
    Arrays.fill(values, NOWHERE);
    return values;
  }

  /** Searches with a budget of steps; returns the steps that are left, or {@link #PERFECT}. */
  int run(int most) {
    steps = most;
    addChannel();
    return steps;
  }

  ChannelGraph best() {
    return best;
  }

  private void addChannel() {
    if (graph.nets() > 0) {
      enterFromNets();
    } else if (pattern == Pattern.NVLS) {
      tryGpu(NodeType.GPU, NOWHERE, channels, 0, returning(), Order.SCORED);
    } else {
      enterFromNowhere();
    }
  }

  private ReturnPlaces returning() {
    int last = graph.gpus() - 1;
    if (graph.nets() == 0) {
      return new ReturnPlaces(NOWHERE, pattern == Pattern.RING ? last : NOWHERE);
    }
    return new ReturnPlaces(pattern == Pattern.RING ? last : pattern == Pattern.SPLIT_TREE ? 1 : 0, NOWHERE);
  }

  private void enterFromNowhere() {
    if (channels == 0) {
      tryGpu(NodeType.GPU, NOWHERE, 0, 0, returning(), Order.INDEX);
    } else {
      tryGpu(NodeType.GPU, NOWHERE, routes.orders()[channels - 1][0], 0, returning(), Order.REPLAY);
    }
    if (!attempt.rules().same() || channels == 0) {
      for (int gpu = 0; gpu < graph.gpus(); gpu++) {
        tryGpu(NodeType.GPU, NOWHERE, gpu, 0, returning(), Order.SCORED);
      }
    }
  }

  private void enterFromNets() {
    int[] nets = netsOfAll;
    // NCCL keeps the rate reserved on a port as an integer number of GB/s
    int rate = attempt.speeds().inter() / 1000 * 1000;
    // Without steps left, only the first channel by index, which has a budget of its own, can still find a solution.
    boolean byIndex = channels == 0 && graph.count(NodeType.NVS) == 0;
    for (int i = 0; i < nets.length && (steps > 0 || byIndex); i++) {
      int net = nets[(channels + i) % nets.length];
      if (attempt.rules().collNet() && !graph.net(net).coll() || ports.free(net) < rate || !entersBy(net)) {
        continue;
      }
      routes.entries()[channels] = net;
      latencyUs = netLatenciesUs[net];
      ports.reserve(net, rate);
      boolean found = enterFrom(net, nets.length);
      ports.release(net, rate);
      if (found && pattern.headed()) {
        return;
      }
    }
  }

  private boolean entersBy(int net) {
    return !(pattern == Pattern.RING && attempt.rules().crossNic() == 2 && channels % 2 == 1)
        || net == routes.exits()[channels - 1];
  }

  private boolean enterFrom(int net, int nets) {
    int near = paths.nearestGpu(net);
    if (pattern.headed()) {
      boolean taken = near < 0 || channels >= nets || isHead(near);
      if (!taken) {
        tryGpu(NodeType.NET, net, near, 0, returning(), Order.SCORED);
      }
      return !taken;
    }
    if (channels > 0 && attempt.rules().same()) {
      tryGpu(NodeType.NET, net, routes.orders()[channels - 1][0], 0, returning(), Order.REPLAY);
      return true;
    }
    if (channels == 0 && graph.count(NodeType.NVS) == 0) {
      tryByIndex(net);
    }
    if (near >= 0) {
      tryGpu(NodeType.NET, net, near, 0, returning(), Order.SCORED);
    }
    for (int gpu : paths.localGpus(net)) {
      if (gpu != near) {
        tryGpu(NodeType.NET, net, gpu, 0, returning(), Order.SCORED);
      }
    }
    return true;
  }

  // Whether a GPU is the first of a complete channel.
  private boolean isHead(int gpu) {
    for (int channel = 0; channel < channels; channel++) {
      if (routes.orders()[channel][0] == gpu) {
        return true;
      }
    }
    return false;
  }

  // Tries the order by index, a first solution for comparison, outside the budget of steps.
  private void tryByIndex(int net) {
    int before = steps;
    steps = STEPS_BY_INDEX;
    tryGpu(NodeType.NET, net, 0, 0, returning(), Order.INDEX);
    steps = steps == PERFECT ? PERFECT : before;
  }

  private void tryGpu(NodeType from, int index, int gpu, int place, ReturnPlaces back, Order order) {
    if (index == NOWHERE) {
      visitOnce(gpu, place, back, order);
      return;
    }
    int rate = speed(from == NodeType.GPU, 1);
    Path path = from == NodeType.NET ? paths.netToGpu(index, gpu) : paths.gpuToGpu(index, gpu);
    if (!capacity.hasAtEnds(path, rate)) {
      return;
    }
    Reservation share = new Reservation(path, from, rate, from == NodeType.NET);
    if (reserve(share)) {
      visitOnce(gpu, place, back, order);
      release(share);
    }
  }

  private void visitOnce(int gpu, int place, ReturnPlaces back, Order order) {
    used[channels][gpu] = true;
    visit(gpu, place, back, order);
    used[channels][gpu] = false;
  }

  private int speed(boolean intra, int shares) {
    return shares * (intra ? attempt.speeds().intra() : attempt.speeds().inter());
  }

  // Without steps left no reservation leads anywhere.
  private boolean reserve(Reservation share) {
    Path path = share.path();
    if (steps <= 0 || !mayTake(path, share.networked())
        || !capacity.reserve(path, share.from(), share.rate())) {
      return false;
    }
    hops += path.hops();
    return true;
  }

  private boolean mayTake(Path path, boolean networked) {
    PathType worst = networked ? attempt.types().inter() : attempt.types().intra();
    return (path.hops() == 0 || path.type().atMost(worst)) && path.type() != PathType.DIS;
  }

  private void release(Reservation share) {
    capacity.release(share.path(), share.from(), share.rate());
    hops -= share.path().hops();
  }

  private void visit(int gpu, int place, ReturnPlaces back, Order order) {
    if (steps <= 0) {
      return;
    }
    steps--;
    if (place == graph.gpus()) {
      complete();
      return;
    }
    routes.orders()[channels][place] = gpu;
    if (place == back.toNet()) {
      returnToNets(gpu, place, back, order);
    } else if (pattern == Pattern.NVLS) {
      throughHead(switchReservations(gpu));
    } else if (pattern == Pattern.COLLNET_DIRECT) {
      throughHead(directReservations(gpu));
    } else if (place < graph.gpus() - 1) {
      int onlyWay = nextGpus.onlyWay(gpu);
      if (onlyWay != NOWHERE && !capacity.has(onlyWay, speed(true, 1))) {
        return;
      }
      for (int next : next(gpu, place, back, order)) {
        if (steps <= 0) {
          return;
        }
        tryGpu(NodeType.GPU, gpu, next, place + 1, back, order);
      }
    } else if (place == back.toFirst()) {
      closeRing(gpu, place, order);
    } else {
      visit(gpu, graph.gpus(), ReturnPlaces.NEVER, order);
    }
  }

  private void closeRing(int gpu, int place, Order order) {
    int first = routes.orders()[channels][0];
    Reservation share = new Reservation(paths.gpuToGpu(gpu, first), NodeType.GPU, speed(true, 1), false);
    if (reserve(share)) {
      visit(first, place + 1, ReturnPlaces.NEVER, order);
      release(share);
    }
  }

  private void complete() {
    channels++;
    if (better()) {
      best = new ChannelGraph(attempt, latencyUs, hops, routes.copy(channels));
      if (channels == attempt.most()) {
        steps = PERFECT;
      }
    }
    if (channels < attempt.most()) {
      addChannel();
    }
    channels--;
  }

  private boolean better() {
    if (channels < attempt.least()) {
      return false;
    }
    if (pattern == Pattern.NVLS) {
      return channels > best.channels() && channels <= graph.gpus()
          || (long) channels * attempt.speeds().inter() > (long) best.channels() * best.attempt().speeds().inter();
    }
    long sum = (long) channels * attempt.speeds().intra();
    long bestSum = (long) best.channels() * best.attempt().speeds().intra();
    if (sum != bestSum) {
      return sum > bestSum;
    }
    return pattern == best.pattern() && attempt.rules().crossNic() == best.crossNic() && hops < best.hops();
  }

  private int[] next(int gpu, int place, ReturnPlaces back, Order order) {
    switch (order) {
      case INDEX :
        return new int[] {place + 1};
      case REPLAY :
        return new int[] {routes.orders()[channels - 1][place + 1]};
      default :
        int net = back.toNet() == NOWHERE ? NOWHERE : routes.entries()[channels];
        return nextGpus.after(gpu, used[channels], net, back.toNet() == place + 1);
    }
  }

  private void returnToNets(int gpu, int place, ReturnPlaces back, Order order) {
    boolean balanced = pattern == Pattern.BALANCED_TREE;
    int rate = balanced ? attempt.speeds().inter() / 2 : attempt.speeds().inter();
    for (int net : exits(gpu, routes.entries()[channels])) {
      if (steps <= 0 || !capacity.leaves(gpu, rate)) {
        return;
      }
      if (!leavesBy(net, place)) {
        continue;
      }
      Reservation share = new Reservation(paths.gpuToNet(gpu, net), NodeType.GPU, rate, true);
      if (reserve(share)) {
        routes.exits()[channels] = net;
        visit(gpu, place, new ReturnPlaces(balanced && place == 0 ? 1 : NOWHERE, back.toFirst()), order);
        release(share);
      }
    }
  }

  private int[] exits(int gpu, int start) {
    if (exits[gpu][start] == null) {
      exits[gpu][start] = Arrays.stream(netsOfGpu[gpu])
          .filter(net -> mayLeaveBy(net, start) && mayTake(paths.gpuToNet(gpu, net), true)).toArray();
    }
    return exits[gpu][start];
  }

  // Whether a channel that enters by a port may leave by another, whatever other channels do.
  private boolean mayLeaveBy(int net, int start) {
    return (pattern != Pattern.TREE || net == start)
        && (attempt.rules().crossNic() != 0 || ports.same(net, start));
  }

  private boolean leavesBy(int net, int place) {
    if (pattern == Pattern.RING && attempt.rules().crossNic() == 2) {
      return channels % 2 == 0 || net == routes.entries()[channels - 1];
    }
    return pattern != Pattern.BALANCED_TREE || place == 0 || net == routes.exits()[channels];
  }

  private void throughHead(List<Reservation> shares) {
    int taken = 0;
    while (taken < shares.size() && reserve(shares.get(taken))) {
      taken++;
    }
    if (taken == shares.size()) {
      visit(NOWHERE, graph.gpus(), ReturnPlaces.NEVER, Order.SCORED);
    }
    while (taken-- > 0) {
      release(shares.get(taken));
    }
  }

  // The reservations of NVLS for one head: every GPU exchanges data with the NVSwitches; the head also sends and
  // receives the reduced data.
  private List<Reservation> switchReservations(int head) {
    List<Reservation> shares = new ArrayList<>();
    for (int gpu = 0; gpu < graph.gpus(); gpu++) {
      shares.add(new Reservation(paths.fromSwitch(gpu), NodeType.NVS, speed(true, gpu == head ? 2 : 1), false));
    }
    for (int gpu = 0; gpu < graph.gpus(); gpu++) {
      shares.add(new Reservation(paths.toSwitch(gpu), NodeType.GPU, speed(true, gpu == head ? 2 : 1), false));
    }
    return shares;
  }

  // The reservations of CollNetDirect for one head, which exchanges data with every other GPU; these follow it in the
  // channel's order.
  private List<Reservation> directReservations(int head) {
    List<Reservation> shares = new ArrayList<>();
    int others = graph.gpus() - 1;
    int[] rest = IntStream.range(0, graph.gpus()).filter(gpu -> gpu != head).toArray();
    for (int gpu : rest) {
      shares.add(new Reservation(paths.gpuToGpu(head, gpu), NodeType.GPU, attempt.speeds().intra() / others, false));
    }
    for (int gpu : rest) {
      shares.add(new Reservation(paths.gpuToGpu(gpu, head), NodeType.GPU, attempt.speeds().intra() / others, false));
    }
    System.arraycopy(rest, 0, routes.orders()[channels], 1, others);
    return shares;
  }
}
