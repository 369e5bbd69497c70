package dev.heddle.transport.uec;

import dev.heddle.spi.PathSelector;
import dev.heddle.units.RandomStream;

/**
 * All paths in turn: a counter combined with a mask that changes every round. With penalties, a path that showed
 * congestion is passed over once for each of them; of several in a row the first one's count as taken [uet-htsim
 * uec_mp.cpp].
 */
final class PathRounds implements PathSelector {
  private static final int MARK = 1;
  private static final int TRIM = 4;
  private static final int TIMEOUT = 15;
  private static final int MOST = 15;

  private final int count;
  private final RandomStream random;
  private final boolean penalises;
  private final byte[] penalty;
  private final int upper;
  private int turn;
  private int mask;

  PathRounds(int paths, RandomStream random, boolean penalises) {
    count = paths;
    this.random = random;
    this.penalises = penalises;
    penalty = new byte[penalises ? paths : 0];
    upper = random.nextInt(1 << 16) & -paths;
    mask = random.nextInt(paths);
  }

  @Override
  public int next() {
    int path = step();
    if (!penalises || penalty[path] == 0) {
      return upper | path;
    }
    penalty[path]--;
    path = step();
    for (int tries = 1; penalty[path] > 0 && tries < count; tries++) {
      path = step();
    }
    return upper | path;
  }

  private int step() {
    int path = turn ^ mask;
    turn++;
    if (turn == count) {
      turn = 0;
      mask = random.nextInt(count);
    }
    return path;
  }

  private void penalise(int path, int by) {
    if (penalises) {
      int at = path & count - 1;
      penalty[at] = (byte) Math.min(MOST, penalty[at] + by);
    }
  }

  @Override
  public void onAcknowledgement(int path, boolean marked) {
    if (marked) {
      penalise(path, MARK);
    }
  }

  @Override
  public void onTrimmed(int path) {
    penalise(path, TRIM);
  }

  @Override
  public void onTimeout(int path, long nowPs) {
    penalise(path, TIMEOUT);
  }
}
