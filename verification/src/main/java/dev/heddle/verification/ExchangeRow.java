package dev.heddle.verification;

import dev.heddle.kernel.exchange.ExchangeKernel;
import dev.heddle.kernel.exchange.ExchangeLoad;
import dev.heddle.kernel.exchange.ExchangeSite;
import dev.heddle.kernel.exchange.ExchangeStep;

/**
 * One measured step of an exchange among experts.
 *
 * @param machine as the table has it, such as {@code h100_sxm}
 * @param kernel the family of kernels
 * @param step of the exchange
 * @param load tokens of a rank
 * @param site nodes, ranks and rates
 * @param label sizes, for reports
 * @param seconds measured
 */
record ExchangeRow(
    String machine, ExchangeKernel kernel, ExchangeStep step, ExchangeLoad load, ExchangeSite site, String label,
    double seconds) {
  /** The group of rows that is left out of a fit together: a machine and its number of nodes or ranks. */
  String group() {
    return kernel.isOfDomain()
        ? machine + ", " + site.ranks() + " ranks"
        : machine + ", " + site.nodes() + (site.nodes() == 1 ? " node" : " nodes");
  }

  /** Kernel and step. */
  String name() {
    return kernel.id() + " " + step.id();
  }

  /** Bytes of all copies of a rank's tokens. */
  long bytes() {
    return Math.round(load.totalBytes());
  }
}
