package dev.heddle.spi;

import java.util.Optional;

/**
 * Provides {@link CollectiveAlgorithm}s.
 *
 * @param <S> the settings record
 */
public interface CollectiveAlgorithmProvider<S extends Record> extends Provider<S, CollectiveAlgorithm> {
  /** The value, as in a scenario, of an optional setting that follows from the cluster where a scenario lacks it. */
  default Optional<String> derived(String setting, Cluster cluster) {
    return Optional.empty();
  }
}
