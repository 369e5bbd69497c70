package dev.heddle.training;

import java.util.Arrays;
import java.util.List;

/**
 * The progress of collectives that run at once, by that of each alone: the rates of all flows rise together; a
 * collective keeps the rate at which one of its links is full, or which it has alone. So max-min fair sharing divides
 * links among flows that each cross a link with equal weight.
 */
final class FairProgress {
  private static final double FULL = 1e-9;

  private final List<LinkUse> uses;
  private final double[] progress;
  private final boolean[] settled;
  // Per place: what settled collectives leave, and what the others take for a rate of 1.
  private final double[] free;
  private final double[] perRate;

  private FairProgress(List<LinkUse> uses) {
    this.uses = uses;
    int places = uses.stream().mapToInt(LinkUse::places).max().orElse(0);
    progress = new double[uses.size()];
    settled = new boolean[uses.size()];
    free = new double[places];
    perRate = new double[places];
    Arrays.fill(free, 1);
  }

  /** The progress of each of some collectives, from 0 to 1. */
  static double[] of(List<LinkUse> uses) {
    FairProgress shared = new FairProgress(uses);
    for (int left = uses.size(); left > 0;) {
      left -= shared.settle();
    }
    return shared.progress;
  }

  private int settle() {
    Arrays.fill(perRate, 0);
    double rate = Double.POSITIVE_INFINITY;
    for (int i = 0; i < settled.length; i++) {
      if (!settled[i]) {
        LinkUse use = uses.get(i);
        rate = Math.min(rate, use.flowRate());
        for (int link = 0; link < use.links(); link++) {
          perRate[use.place(link)] += use.share(link) / use.flowRate();
        }
      }
    }
    for (int place = 0; place < free.length; place++) {
      rate = perRate[place] > 0 ? Math.min(rate, free[place] / perRate[place]) : rate;
    }
    int settledNow = 0;
    boolean[] stops = new boolean[settled.length];
    for (int i = 0; i < stops.length; i++) {
      stops[i] = !settled[i] && stops(uses.get(i), rate);
      settledNow += stops[i] ? 1 : 0;
    }
    for (int i = 0; i < stops.length; i++) {
      if (stops[i]) {
        keep(i, Math.min(1, rate / uses.get(i).flowRate()));
      }
    }
    return settledNow;
  }

  private boolean stops(LinkUse use, double rate) {
    boolean stops = rate >= use.flowRate() * (1 - FULL);
    for (int link = 0; link < use.links() && !stops; link++) {
      stops = perRate[use.place(link)] * rate >= free[use.place(link)] - FULL;
    }
    return stops;
  }

  private void keep(int number, double kept) {
    LinkUse use = uses.get(number);
    settled[number] = true;
    progress[number] = kept;
    for (int link = 0; link < use.links(); link++) {
      free[use.place(link)] = Math.max(0, free[use.place(link)] - kept * use.share(link));
    }
  }
}
