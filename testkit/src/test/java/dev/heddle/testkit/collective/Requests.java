package dev.heddle.testkit.collective;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.standard.BinomialTreeAlgorithmProvider;
import dev.heddle.standard.DirectAlgorithmProvider;
import dev.heddle.standard.HalvingDoublingAlgorithmProvider;
import dev.heddle.standard.RecursiveDoublingAlgorithmProvider;
import dev.heddle.standard.RingAlgorithmProvider;
import dev.heddle.testkit.fixture.Fabrics;

final class Requests {
  private Requests() {}

  static CollectiveRequest of(Collective collective) {
    return new CollectiveRequest(
        collective, Group.ofFirst(collective.ranks()), Fabrics.oneNode(collective.ranks()));
  }

  static CollectiveAlgorithm ring(int channels) {
    return new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(channels, 4));
  }

  static CollectiveAlgorithm recursiveDoubling() {
    return new RecursiveDoublingAlgorithmProvider().create(new RecursiveDoublingAlgorithmProvider.Settings());
  }

  static CollectiveAlgorithm halvingDoubling() {
    return new HalvingDoublingAlgorithmProvider().create(new HalvingDoublingAlgorithmProvider.Settings());
  }

  static CollectiveAlgorithm binomialTree() {
    return new BinomialTreeAlgorithmProvider().create(new BinomialTreeAlgorithmProvider.Settings());
  }

  static CollectiveAlgorithm direct(int channels) {
    return new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(channels));
  }
}
