package dev.heddle.spi;

import dev.heddle.collective.Collective;

/** Group of ranks that is ready for collectives. Thread-safe. */
public interface Communicator {
  /**
   * Plans a collective.
   *
   * @param collective of as many ranks as the group has
   * @throws InvalidSettingException when the algorithm cannot serve it
   */
  CollectivePlan plan(Collective collective);
}
