package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.ConstantTable;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.Attempt.Rules;
import dev.heddle.collectives.nccl.search.Attempt.Speeds;
import dev.heddle.collectives.nccl.search.Attempt.Types;
import dev.heddle.collectives.nccl.search.ChannelGraph.Routes;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * NCCL's search for channels on one node [NCCL 2.30.7, graph/search.cc; up to 2.17 as of 2.8.3 to 2.17.1]. It tries
 * bandwidths from the highest that any path allows; when a bandwidth gives too few channels it relaxes one condition
 * after the other, then takes the next lower bandwidth. It then tries to improve the solution with higher bandwidths.
 * Every attempt has a budget of steps, so that the search takes well below a second; like NCCL's, its result is not
 * always optimal.
 */
final class GraphSearch {
  private static final ConstantTable SPEEDS = ConstantTable.read("search-speeds.csv");
  private static final int STEPS = 1 << 14;
  private static final int STEPS_SAME = 1 << 8;
  private static final int ALL_STEPS = 1 << 19;
  private static final int AMPERE = 80;
  private static final int HOPPER = 90;
  private static final int MOST_DIRECT_HEADS = 8;
  private static final double WORTH_TRYING = .49;

  private final SystemPaths paths;
  private final SystemGraph graph;
  private final PortRates ports;
  private final ChannelSearch.Orders orders;
  private final NcclConfig config;
  // Versions before 2.18: no second pass for rings, and channels are duplicated last.
  private final boolean before18;
  private final int[] speeds;
  private final Bounds bounds;
  private ChannelGraph best;
  private int stepsLeft = ALL_STEPS;

  GraphSearch(SystemPaths paths, ChannelSearch.Orders orders, NcclConfig config) {
    this.paths = paths;
    this.orders = orders;
    this.config = config;
    graph = paths.graph();
    ports = new PortRates(graph);
    before18 = !config.version().since(18);
    speeds = speeds();
    bounds = bounds();
    best = new ChannelGraph(attempt(Pattern.RING, false, 1, 1).withSpeeds(0, 0), 0, 0, Routes.none());
  }

  /**
   * Bounds of the search: the best and worst types of paths, the highest bandwidth of a path, and the total bandwidth
   * out of a GPU, MB/s.
   */
  private record Bounds(Types best, Types worst, int widest, int total) {}

  private int[] speeds() {
    String place = graph.nets() == 0 ? "intra" : "inter";
    int capability = graph.leastCapability();
    Map<String, String> row = SPEEDS.rows(config.version()).stream()
        .filter(each -> SPEEDS.cell(each, "place").equals(place)
            && Integer.parseInt(SPEEDS.cell(each, "capability")) <= capability)
        .reduce((first, second) -> second).orElseThrow();
    return Arrays.stream(SPEEDS.cell(row, "speeds").split(" "))
        .mapToInt(speed -> (int) Math.round(Double.parseDouble(speed) * 1000)).toArray();
  }

  private Bounds bounds() {
    boolean networks = graph.nets() > 0;
    int gpus = graph.gpus();
    PathType[] within = pairs(gpus, gpus).filter(pair -> pair[0] != pair[1])
        .map(pair -> paths.gpuToGpu(pair[0], pair[1]).type()).toArray(PathType[]::new);
    PathType[] outside = pairs(gpus, graph.nets())
        .map(pair -> paths.gpuToNet(pair[0], pair[1]).type()).toArray(PathType[]::new);
    PathType leastWithin = least(within, PathType.LOC);
    PathType leastOutside = networks ? least(outside, PathType.PIX) : PathType.PIX;
    PathType mostOutside = networks && graph.leastCapability() >= HOPPER ? most(outside) : PathType.SYS;
    PathType mostWithin = networks ? most(outside) : gpus > 1 ? most(within) : PathType.SYS;
    int widest = networks
        ? pairs(gpus, graph.nets()).mapToInt(pair -> paths.gpuToNet(pair[0], pair[1]).megabytes()).max().orElse(0)
        : gpus == 1 ? Integer.MAX_VALUE
        : pairs(gpus, gpus).filter(pair -> pair[0] != pair[1])
            .mapToInt(pair -> paths.gpuToGpu(pair[0], pair[1]).megabytes()).max().orElse(0);
    int total = IntStream.range(0, gpus).map(this::leaving).max().orElse(0);
    return new Bounds(new Types(leastWithin, leastOutside), new Types(mostWithin, mostOutside), widest, total);
  }

  private static Stream<int[]> pairs(int a, int b) {
    return IntStream.range(0, a * b).mapToObj(i -> new int[] {i / b, i % b});
  }

  private static PathType least(PathType[] types, PathType none) {
    return Arrays.stream(types).min(PathType::compareTo).orElse(none);
  }

  // The worst type of paths, without those that NCCL never plans with.
  private static PathType most(PathType[] types) {
    return Arrays.stream(types).filter(type -> type.compareTo(PathType.NET) < 0).max(PathType::compareTo)
        .orElse(PathType.SYS);
  }

  private int leaving(int gpu) {
    int vertex = graph.vertex(NodeType.GPU, gpu);
    int nvlink = 0;
    int pci = 0;
    for (int link = 0; link < graph.links(); link++) {
      if (graph.from(link) == vertex) {
        nvlink += graph.linkType(link) == LinkType.NVL ? graph.megabytes(link) : 0;
        pci = graph.linkType(link) == LinkType.PCI ? graph.megabytes(link) : pci;
      }
    }
    return Math.max(nvlink, pci);
  }

  private Attempt attempt(Pattern pattern, boolean collNet, int least, int most) {
    boolean same = pattern != Pattern.NVLS;
    return new Attempt(new Rules(pattern, collNet, crossNic(pattern) == 1 ? 1 : 0, same), bounds().best(),
        new Speeds(0, 0), least, most);
  }

  private int crossNic(Pattern pattern) {
    boolean may = graph.nets() > 1 && (pattern == Pattern.RING || pattern == Pattern.BALANCED_TREE
        || pattern == Pattern.SPLIT_TREE);
    return may ? config.get(Environment.CROSS_NIC) : 0;
  }

  /** No channels. */
  ChannelGraph none() {
    return best;
  }

  /**
   * Searches for channels.
   *
   * @param pattern desired shape; a tree may become a simpler one
   * @param collNet whether the network reduces
   * @param least number of channels
   * @param most number of channels
   * @return the channels; none if there is no solution
   */
  ChannelGraph search(Pattern pattern, boolean collNet, int least, int most) {
    int fewest = least;
    int greatest = most;
    if (pattern == Pattern.NVLS) {
      if (graph.count(NodeType.NVS) == 0 || graph.leastCapability() < HOPPER) {
        return none();
      }
      greatest = Math.min(CommunicatorTopology.MOST_NVLS_HEADS, graph.gpus());
      fewest = graph.nets() == 0 ? greatest : least;
    } else if (pattern == Pattern.COLLNET_DIRECT) {
      greatest = Math.min(MOST_DIRECT_HEADS, graph.gpus());
    }
    Pattern shape = shape(pattern);
    if (shape == Pattern.RING && !before18 && splitByNvlink() && greatest >= 2) {
      fewest = Math.max(fewest, 2);
    }
    Attempt first = attempt(shape, collNet, fewest, greatest);
    best = new ChannelGraph(first, 0, 0, Routes.none());
    firstPass(first);
    if (before18) {
      secondPass();
      best = duplicated(best);
    } else {
      best = duplicated(best);
      secondPass();
    }
    return best.channels() == 0 && !collNet && shape != Pattern.NVLS ? simpleOrder(first) : best;
  }

  private Pattern shape(Pattern pattern) {
    if (graph.gpus() == 1 && pattern != Pattern.RING) {
      return Pattern.TREE;
    }
    boolean split = !config.version().since(10) && graph.leastCapability() < AMPERE;
    return split && pattern == Pattern.BALANCED_TREE ? Pattern.SPLIT_TREE : pattern;
  }

  // Whether the GPUs form two NVLink domains, each of at least two GPUs, with a slower path between them.
  private boolean splitByNvlink() {
    boolean[] joined = new boolean[graph.gpus()];
    int domains = 0;
    for (int gpu = 0; gpu < joined.length; gpu++) {
      if (!joined[gpu]) {
        domains++;
        boolean pair = false;
        for (int other = gpu; other < joined.length; other++) {
          boolean within = paths.gpuToGpu(gpu, other).type().atMost(PathType.NVL);
          joined[other] |= within;
          pair |= within && other != gpu;
        }
        if (!pair) {
          return false;
        }
      }
    }
    return domains == 2;
  }

  private void firstPass(Attempt first) {
    int index = firstSpeed(first);
    Attempt attempt = first.withSpeeds(speeds[index], speeds[index]);
    while (true) {
      int left = run(attempt);
      if (left == ChannelSearch.PERFECT || full()) {
        return;
      }
      if (attempt.rules().same() && !(throughAmd() && attempt.types().intra() == PathType.SYS)) {
        attempt = attempt.withSame(false);
        continue;
      }
      stepsLeft += left;
      if (stepsLeft < 0 && best.channels() > 0) {
        return;
      }
      attempt = attempt.withSame(first.rules().same());
      Optional<Attempt> looser = relaxed(first, attempt);
      if (looser.isPresent()) {
        attempt = looser.get();
      } else if (index < speeds.length - 1
          && (best.channels() == 0 || speeds[index + 1] / (double) best.attempt().speeds().inter() > WORTH_TRYING)) {
        index++;
        attempt = first.withSpeeds(speeds[index], speeds[index]);
      } else {
        return;
      }
    }
  }

  private int firstSpeed(Attempt first) {
    double total = bounds.total();
    if (graph.gpus() > 1 && first.pattern() != Pattern.RING) {
      total *= graph.gpus() / (graph.gpus() - 1.0);
    }
    int index = 0;
    while (index < speeds.length - 1
        && (speeds[index] > bounds.widest() || !before18 && (double) speeds[index] * first.least() > total)) {
      index++;
    }
    return index;
  }

  private boolean throughAmd() {
    return graph.count(NodeType.CPU) > 0 && graph.cpu(0).isAmd();
  }

  private int run(Attempt attempt) {
    int steps = attempt.rules().same() ? STEPS_SAME : STEPS;
    stepsLeft -= steps;
    ChannelSearch search = new ChannelSearch(paths, ports.copy(), orders, attempt, best);
    int left = search.run(steps);
    best = search.best();
    return left;
  }

  private boolean full() {
    return (long) best.channels() * best.attempt().speeds().inter() >= bounds.total() && best.channels() > 0;
  }

  // The attempt with the next condition relaxed; empty when all are relaxed.
  private Optional<Attempt> relaxed(Attempt first, Attempt attempt) {
    if (!before18 && graph.leastCapability() >= HOPPER && attempt.pattern() == Pattern.BALANCED_TREE) {
      return Optional.of(attempt.withPattern(Pattern.TREE));
    }
    Attempt next = before18 ? attempt : attempt.withPattern(first.pattern());
    boolean networks = graph.nets() > 0;
    PathType intra = next.types().intra();
    PathType worstIntra = networks ? next.types().inter() : bounds.worst().intra();
    if (intra.compareTo(worstIntra) < 0
        && (best.channels() == 0 || intra.compareTo(best.intraType()) < 0)) {
      return Optional.of(next.withIntra(after(intra)));
    }
    next = next.withIntra(first.types().intra());
    PathType inter = next.types().inter();
    if (networks && inter.compareTo(bounds.worst().inter()) < 0
        && (best.channels() == 0 || inter.compareTo(best.interType()) < 0 || inter.compareTo(PathType.PXN) < 0)) {
      return Optional.of(next.withInter(after(inter)));
    }
    next = next.withInter(first.types().inter());
    if (next.pattern() == Pattern.SPLIT_TREE) {
      return Optional.of(next.withPattern(Pattern.TREE));
    }
    next = next.withPattern(first.pattern());
    boolean crossing = first.pattern() == Pattern.RING || first.pattern() == Pattern.BALANCED_TREE;
    return crossing && crossNic(first.pattern()) == 2 && next.rules().crossNic() == 0
        ? Optional.of(next.withCrossNic(2))
        : Optional.empty();
  }

  private static PathType after(PathType type) {
    return PathType.values()[type.ordinal() + 1];
  }

  // Twice the channels at half the bandwidth when there are few fast ones, so that more thread blocks share the work.
  private ChannelGraph duplicated(ChannelGraph found) {
    int channels = found.channels();
    double speed = found.intraSpeed();
    if (channels == 0 || found.pattern() == Pattern.NVLS || speed < 25
        || graph.leastCapability() > 80 && speed < 50 && channels > 4) {
      return found;
    }
    int twice = Math.min(2 * channels, found.attempt().most());
    int parts = (twice + channels - 1) / channels;
    Speeds old = found.attempt().speeds();
    Attempt slower = found.attempt().withSpeeds(old.intra() / parts, old.inter() / parts);
    return new ChannelGraph(slower, found.latencyUs(), found.hops(), found.routes().repeated(twice));
  }

  private void secondPass() {
    int index = 0;
    while (index < speeds.length - 1 && speeds[index] > best.attempt().speeds().inter()) {
      index++;
    }
    Attempt attempt = best.attempt().withSpeeds(speeds[index], speeds[index])
        .withChannels(best.channels(), best.attempt().most());
    int left = ChannelSearch.PERFECT;
    while (left != 0 && index > 0) {
      Speeds now = attempt.speeds();
      Speeds found = best.attempt().speeds();
      if (best.pattern() == Pattern.RING && before18) {
        return;
      }
      if (best.pattern() == Pattern.RING) {
        index--;
        attempt = attempt.withSpeeds(speeds[index], speeds[index]);
      } else if (best.pattern() == Pattern.NVLS && now.inter() == found.inter() && now.inter() < 2 * now.intra()) {
        index--;
        attempt = attempt.withSpeeds(now.intra(), speeds[index]).withChannels(best.channels(), best.channels());
      } else if (now.intra() == found.intra() && now.intra() < 2 * now.inter()) {
        index--;
        attempt = attempt.withSpeeds(speeds[index], now.inter());
      } else {
        return;
      }
      left = run(attempt);
    }
  }

  private ChannelGraph simpleOrder(Attempt first) {
    boolean networks = graph.nets() > 0;
    int gpus = graph.gpus();
    Attempt last = new Attempt(first.rules(), new Types(PathType.SYS, networks ? PathType.SYS : PathType.DIS),
        new Speeds(100, networks ? 100 : 0), first.least(), first.most());
    int[][] order = {IntStream.range(0, gpus).toArray()};
    int[] entry = {networks ? paths.localNet(0, 0) : -1};
    int[] exit = {networks ? paths.localNet(gpus - 1, 0) : -1};
    return new ChannelGraph(last, 0, 0, new Routes(order, entry, exit));
  }
}
