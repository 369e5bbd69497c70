package dev.heddle.network.flow;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.workload.Operation;
import org.jspecify.annotations.Nullable;

/** Observer of activities that sees each operation of a representative as one of every rank of its class. */
final class ClassObserver implements ActivityObserver {
  private final ActivityObserver observer;
  private int[] @Nullable [] members = {};

  ClassObserver(ActivityObserver observer) {
    this.observer = observer;
  }

  /** Lets ranks stand for all of their classes. */
  void fold(Folding found) {
    members = found.members();
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    int[] all = members.length == 0 ? null : members[rank];
    if (all == null) {
      observer.spent(rank, stream, operation, startPs, endPs);
    } else {
      observer.spentByAll(all, stream, operation, startPs, endPs);
    }
  }
}
