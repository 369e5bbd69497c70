package dev.heddle.kernel.exchange;

import com.google.common.collect.ImmutableMap;
import java.util.Map;

/**
 * The time of one step of an exchange from the resources that it occupies. Copies are made by multiprocessors at a time
 * for each token, copy and byte that is nearly the same on H100, B200 and GB200, and travel over NVLink and NICs at
 * a part of their rate; the slowest resource sets the time, but for the knee between them, behind the start and the
 * rounds of synchronization.
 *
 * @param kernel the family of kernels
 * @param step of the exchange
 * @param costs constants, in the units of {@link ExchangeCost}; those that a kernel does not have are absent
 */
public record ExchangeModel(ExchangeKernel kernel, ExchangeStep step, Map<ExchangeCost, Double> costs) {
  /** Sharpness of the knee between resources: the fourth power of times adds up. */
  private static final double KNEE = 4;
  /** A channel is two blocks of threads, each on a multiprocessor [DeepEP, intranode.cu and internode.cu]. */
  private static final double UNITS_OF_A_CHANNEL = 2;

  /** Copies the map. */
  public ExchangeModel {
    costs = ImmutableMap.copyOf(costs);
  }

  /** The same with other constants. */
  public ExchangeModel with(Map<ExchangeCost, Double> others) {
    return new ExchangeModel(kernel, step, others);
  }

  /** The time in seconds. */
  public double seconds(ExchangeLoad load, ExchangeSite site) {
    return switch (kernel) {
      case DEEPEP_NORMAL -> normal(load, site);
      case DEEPEP_LOW_LATENCY -> lowLatency(load, site);
      case NVLINK_ONE_SIDED, NVLINK_TWO_SIDED -> domain(load, site);
    };
  }

  private double normal(ExchangeLoad load, ExchangeSite site) {
    double link = load.totalBytes() * remote(site.ranksPerNode()) / (cost(ExchangeCost.LINK) * site.scaleUp());
    double network = site.nodes() == 1 ? 0 : network(load.tokens() * load.bytes() * load.nodeCopies(), site);
    return startSeconds(site) + slowest(channelSeconds(load, site), link, network);
  }

  /** The time before the first token of DeepEP's normal kernels: launch, counts and rounds of synchronization. */
  public double startSeconds(ExchangeSite site) {
    return cost(ExchangeCost.START) + cost(ExchangeCost.HOP) * octaves(site.nodes());
  }

  /**
   * The time that the channels of DeepEP's normal kernels take for their slices of the tokens, while links carry them.
   * Between nodes the sums of a node and of all nodes take turns on the blocks of a channel,
   * so that a copy is handled twice on its way back.
   */
  public double channelSeconds(ExchangeLoad load, ExchangeSite site) {
    double perChannel = load.tokens() * UNITS_OF_A_CHANNEL / site.channelUnits();
    double handled = load.copies() * (step == ExchangeStep.COMBINE && site.nodes() > 1 ? 2 : 1);
    return perChannel
        * (load.nodeCopies() * cost(ExchangeCost.TOKEN) + handled * (cost(ExchangeCost.COPY) + bytes(load)));
  }

  // One block for each expert, or for a few of them where there are more than multiprocessors; every block takes whole
  // tokens in turn, casts or adds up their bytes, and sends each to all of its experts at once.
  private double lowLatency(ExchangeLoad load, ExchangeSite site) {
    double perBlock = Math.ceil((double) load.experts() / site.units());
    double blocks = Math.ceil(load.experts() / perBlock);
    double started = cost(ExchangeCost.START) + cost(ExchangeCost.EXPERT) * load.experts();
    double sent = Math.ceil(load.tokens() / blocks) * (cost(ExchangeCost.TOKEN) + bytes(load));
    if (site.nodes() > 1) {
      return started + cost(ExchangeCost.HOP) + slowest(sent, network(load.totalBytes(), site), 0);
    }
    return started + sent
        + load.totalBytes() * remote(site.ranks()) / (cost(ExchangeCost.LINK) * site.scaleUp());
  }

  private double domain(ExchangeLoad load, ExchangeSite site) {
    double started = cost(ExchangeCost.START) + cost(ExchangeCost.HOP) * octaves(site.ranks());
    double token = load.tokens() * cost(ExchangeCost.TOKEN);
    if (step == ExchangeStep.PREPARE) {
      return started + token;
    }
    double link = load.totalBytes() * remote(site.ranks()) / (cost(ExchangeCost.LINK) * site.scaleUp());
    if (step != ExchangeStep.DISPATCH) {
      return started + token + link;
    }
    if (kernel == ExchangeKernel.NVLINK_ONE_SIDED) {
      return started + slowest(load.tokens() * load.copies() * bytes(load), link, 0);
    }
    double queue = load.copies() / site.ranks() * (token + load.tokens() * bytes(load));
    return started + slowest(queue, link, 0);
  }

  private double network(double sent, ExchangeSite site) {
    return sent * remote(site.nodes()) / (cost(ExchangeCost.NETWORK) * site.network());
  }

  private double bytes(ExchangeLoad load) {
    return load.bytes() * cost(ExchangeCost.BYTE);
  }

  private double cost(ExchangeCost which) {
    Double value = costs.get(which);
    return value == null ? 0 : value * which.unit();
  }

  private static double remote(int parts) {
    return 1 - 1.0 / parts;
  }

  private static double octaves(int parts) {
    return Math.log(parts) / Math.log(2);
  }

  private static double slowest(double a, double b, double c) {
    return Math.pow(Math.pow(a, KNEE) + Math.pow(b, KNEE) + Math.pow(c, KNEE), 1 / KNEE);
  }
}
