package dev.heddle.hpl;

import dev.heddle.hpl.HplTime.LayerTime;
import java.util.List;

/**
 * The original model of HPL: one processor per process, one layer of communication [MCL-HPL §2, eq. 1 to 5].
 *
 * <p>{@code gamma} is seconds per floating-point operation, the reciprocal of a process's peak rate; the paper calls it
 * a rate. Logarithms are to base 2.
 */
public final class OriginalHplModel {
  private OriginalHplModel() {}

  /**
   * The leading terms of α, β and γ alone [MCL-HPL eq. 3].
   *
   * <p>Of communication, log P and P of the α term are counted as pivoting and update, 3P and Q of the β term as
   * update and broadcast: 3P/2PQ is 3/2Q, and Q/2PQ is 1/2P.
   */
  public static HplTime closedForm(HplProblem problem, double gamma, CommunicationLayer layer) {
    double n = problem.order();
    double nb = problem.blockSize();
    double p = problem.grid().rows();
    double q = problem.grid().columns();
    double pivot = layer.alpha() * n * (nb + 1) * problem.rounds() / nb;
    double broadcast = layer.beta() * n * n / (2 * p);
    double update = layer.alpha() * n * p / nb + layer.beta() * 3 * n * n / (2 * q);
    return new HplTime(
        problem.flops(), gamma * 2 * n * n * n / (3 * p * q),
        List.of(new LayerTime(layer.name(), pivot, broadcast, update)));
  }

  /**
   * All terms, panel by panel [MCL-HPL eq. 1, 2, 4, 5], of the padded order. Takes a step per panel.
   *
   * <p>Equation 1's pivoting moves 2NB words per column; equation 27 of the layered model moves 2NB + 4, the four being
   * the pivot's header.
   */
  public static HplTime panelSum(HplProblem problem, double gamma, CommunicationLayer layer) {
    double nb = problem.blockSize();
    double p = problem.grid().rows();
    double q = problem.grid().columns();
    double rounds = problem.rounds();
    double calculation = 0;
    double pivot = 0;
    double broadcast = 0;
    double update = 0;
    for (long i = 1; i <= problem.panels(); i++) {
      double below = problem.paddedOrder() - i * nb;
      double trailing = below + nb;
      calculation += gamma * (below / p - nb / 3) * nb * nb
          + gamma * (trailing * nb * nb / q + 2 * trailing * trailing * nb / (p * q));
      pivot += nb * rounds * (layer.alpha() + 2 * layer.beta() * nb);
      broadcast += layer.alpha() + layer.beta() * below * nb / p;
      update += layer.alpha() * (rounds + p - 1) + 3 * layer.beta() * trailing * nb / q;
    }
    return new HplTime(problem.flops(), calculation, List.of(new LayerTime(layer.name(), pivot, broadcast, update)));
  }
}
