package dev.heddle.kernel.exchange;

/**
 * The tokens of one rank in an exchange.
 *
 * @param tokens of the rank, at least 1
 * @param bytes of one copy of a token, scales included
 * @param copies of a token on all ranks, its own included; for kernels that do not merge copies one for each choice
 * @param nodeCopies nodes that hold an expert of a token, its own included
 * @param experts of the layer
 */
public record ExchangeLoad(long tokens, double bytes, double copies, double nodeCopies, int experts) {
  /** Bytes of all copies of a rank's tokens, its own included. */
  public double totalBytes() {
    return tokens * bytes * copies;
  }

  /**
   * The expected number of equal parts of all experts that hold one of a token's experts, drawn evenly and without
   * repetition: {@code n (1 - C(E - E/n, k) / C(E, k))} of {@code n} parts of {@code E} experts [DeepEP, elastic.py].
   *
   * @param parts that divide the experts
   * @param experts of the layer
   * @param choices of a token
   */
  public static double partsHit(int parts, int experts, int choices) {
    double missed = 1;
    for (int draw = 0; draw < choices; draw++) {
      missed *= Math.max(0, experts - (double) experts / parts - draw) / (experts - draw);
    }
    return parts * (1 - missed);
  }
}
