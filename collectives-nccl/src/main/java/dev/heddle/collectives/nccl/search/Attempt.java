package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;

/**
 * The conditions of one search.
 *
 * @param rules shape of the channels
 * @param types worst types of paths
 * @param speeds bandwidth of each channel
 * @param least number of channels of a solution
 * @param most number of channels of a solution
 */
record Attempt(Rules rules, Types types, Speeds speeds, int least, int most) {
  /**
   * The shape of channels.
   *
   * @param pattern of each channel
   * @param collNet whether only ports with reduction in the network may be used
   * @param crossNic 0: each channel leaves by the port by which it enters; 1: by any port; 2: pairs of channels may
   *     swap ports
   * @param same whether all channels have the same order of GPUs
   */
  record Rules(Pattern pattern, boolean collNet, int crossNic, boolean same) {}

  /** The worst types of paths between GPUs, and between GPUs and ports. */
  record Types(PathType intra, PathType inter) {}

  /** The bandwidth of a channel on links between GPUs and on links to ports, MB/s. */
  record Speeds(int intra, int inter) {}

  Pattern pattern() {
    return rules.pattern();
  }

  Attempt withSame(boolean same) {
    return new Attempt(new Rules(rules.pattern, rules.collNet, rules.crossNic, same), types, speeds, least, most);
  }

  Attempt withPattern(Pattern pattern) {
    return new Attempt(new Rules(pattern, rules.collNet, rules.crossNic, rules.same), types, speeds, least, most);
  }

  Attempt withCrossNic(int crossNic) {
    return new Attempt(new Rules(rules.pattern, rules.collNet, crossNic, rules.same), types, speeds, least, most);
  }

  Attempt withIntra(PathType intra) {
    return new Attempt(rules, new Types(intra, types.inter), speeds, least, most);
  }

  Attempt withInter(PathType inter) {
    return new Attempt(rules, new Types(types.intra, inter), speeds, least, most);
  }

  Attempt withSpeeds(int intra, int inter) {
    return new Attempt(rules, types, new Speeds(intra, inter), least, most);
  }

  Attempt withChannels(int fewest, int greatest) {
    return new Attempt(rules, types, speeds, fewest, greatest);
  }
}
