package dev.heddle.transport.uec;

import dev.heddle.spi.PathSelector;

/**
 * The paths of unmarked acknowledgements, the oldest first, and without one those of another selector. No path is
 * forgotten: there are at most as many as acknowledgements of packets in flight [uet-htsim uec_mp.cpp, mixed].
 */
final class WorkingPaths implements PathSelector {
  private static final int FIRST_SIZE = 64;

  private final PathSelector others;
  private int[] paths = new int[FIRST_SIZE];
  private int head;
  private int count;

  WorkingPaths(PathSelector others) {
    this.others = others;
  }

  @Override
  public int next() {
    if (count == 0) {
      return others.next();
    }
    int path = paths[head];
    head = (head + 1) % paths.length;
    count--;
    return path;
  }

  private void add(int path) {
    if (count == paths.length) {
      int[] grown = new int[2 * count];
      for (int i = 0; i < count; i++) {
        grown[i] = paths[(head + i) % count];
      }
      paths = grown;
      head = 0;
    }
    paths[(head + count) % paths.length] = path;
    count++;
  }

  @Override
  public void onAcknowledgement(int path, boolean marked) {
    others.onAcknowledgement(path, marked);
    if (!marked) {
      add(path);
    }
  }

  @Override
  public void onTrimmed(int path) {
    others.onTrimmed(path);
  }

  @Override
  public void onTimeout(int path, long nowPs) {
    others.onTimeout(path, nowPs);
  }
}
