package dev.heddle.network.flow;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.workload.Operation;
import org.jspecify.annotations.Nullable;

/** Observer of activities that sees each operation of a representative as one of every rank of its class. */
final class ClassObserver implements ActivityObserver {
  private final ActivityObserver observer;
  private @Nullable Folding folding;

  ClassObserver(ActivityObserver observer) {
    this.observer = observer;
  }

  /** Lets ranks stand for all of their classes. */
  void fold(Folding found) {
    folding = found;
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    int copies = folding == null ? 1 : folding.copies(rank);
    for (int copy = 0; copy < copies; copy++) {
      observer.spent(folding == null ? rank : folding.member(rank, copy), stream, operation, startPs, endPs);
    }
  }
}
