package dev.heddle.transport.uec;

import dev.heddle.spi.PathSelector;

/**
 * Recycled entropies: the path of an unmarked acknowledgement carries another packet, the oldest first; without one,
 * another selector chooses. After a timeout the paths that are known to work are used in turn for a time [Bonato et
 * al., REPS; uet-htsim buffer_reps.cpp].
 */
final class RecycledPaths implements PathSelector {
  private static final int SIZE = 8;
  private static final long FREEZE_PS = 10_000_000_000L;

  private final PathSelector others;
  private final int[] ring = new int[SIZE];
  private final int explored;
  private int head;
  private int fresh;
  private int known;
  private int sent;
  private long now;
  private long frozenUntil = -1;

  RecycledPaths(PathSelector others, int paths) {
    this.others = others;
    explored = Math.min(paths, 2 * SIZE);
  }

  @Override
  public int next() {
    if (sent < explored) {
      sent++;
      return others.next();
    }
    if (fresh > 0) {
      int path = ring[Math.floorMod(head - fresh, SIZE)];
      fresh--;
      return path;
    }
    if (now < frozenUntil && known > 0) {
      head = (head + 1) % known;
      return ring[head];
    }
    return others.next();
  }

  @Override
  public void onAcknowledgement(int path, boolean marked) {
    others.onAcknowledgement(path, marked);
    if (!marked) {
      ring[head] = path;
      head = (head + 1) % SIZE;
      fresh = Math.min(SIZE, fresh + 1);
      known = Math.min(SIZE, known + 1);
    }
  }

  @Override
  public void onTrimmed(int path) {
    others.onTrimmed(path);
  }

  @Override
  public void onTimeout(int path, long nowPs) {
    others.onTimeout(path, nowPs);
    now = nowPs;
    frozenUntil = nowPs + FREEZE_PS;
  }
}
