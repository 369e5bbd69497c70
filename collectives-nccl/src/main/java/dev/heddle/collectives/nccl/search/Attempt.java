package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;

/**
 * What one search may use.
 *
 * @param rules which shape
 * @param types the worst ways
 * @param speeds what each channel takes
 * @param least channels of a solution
 * @param most channels of a solution
 */
record Attempt(Rules rules, Types types, Speeds speeds, int least, int most) {
  /**
   * The shape of channels.
   *
   * @param pattern of each
   * @param collNet whether only ports serve that can have the network reduce
   * @param crossNic 0: each channel leaves by the port it enters; 1: by any; 2: two channels may swap theirs
   * @param same whether all channels have one order of GPUs
   */
  record Rules(Pattern pattern, boolean collNet, int crossNic, boolean same) {}

  /** The worst ways between GPUs, and between GPUs and ports. */
  record Types(PathType intra, PathType inter) {}

  /** What a channel takes of links between GPUs, and of those to ports, MB/s. */
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
