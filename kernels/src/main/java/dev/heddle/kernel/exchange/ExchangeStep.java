package dev.heddle.kernel.exchange;

import java.util.Locale;

/** A step of an exchange. */
public enum ExchangeStep {
  /** The exchange of counts and places alone, where it is a kernel of its own. */
  PREPARE,
  /** The way to the ranks of a token's experts, with the exchange of counts where it has no kernel of its own. */
  DISPATCH,
  /** The way back, in 16 bits, and the sum of a token's results. */
  COMBINE,
  /** The way back in few bits: results are cast on one side and back on the other. */
  COMBINE_LOW_PRECISION;

  /** The name in tables. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
