package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Compares the progress of collectives that share links with closed forms, and with the definition of fairness. */
class FairProgressTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-9);
  private static final int CASES = 1000;
  private static final int PLACES = 6;

  // Shares of the links at places 0, 1 and so on; a link of share 0 is not used.
  private static LinkUse use(double flowRate, double... shares) {
    return LinkUse.of(shares, flowRate);
  }

  @Test
  void shouldBeAsFastAsAloneWhenNoLinkIsFull() {
    assertThat(FairProgress.of(List.of(use(1, 0.6), use(7, 0.4)))).containsExactly(1, 1);
    assertThat(FairProgress.of(List.of(use(1, 1, 0), use(1, 0, 1)))).containsExactly(1, 1);
  }

  // A link that both fill alone is divided by their flows: four of a quarter of its rate against one of all of it.
  @Test
  void shouldDivideAFullLinkByFlows() {
    double[] progress = FairProgress.of(List.of(use(0.25, 1), use(1, 1)));
    assertThat(progress[0]).isCloseTo(0.8, EXACT);
    assertThat(progress[1]).isCloseTo(0.2, EXACT);
  }

  // One of four tenths keeps its rate beside a faster one, which takes the rest.
  @Test
  void shouldLeaveTheRestToAFasterOne() {
    double[] progress = FairProgress.of(List.of(use(0.4, 0.4), use(0.8, 0.8)));
    assertThat(progress[0]).isCloseTo(1, EXACT);
    assertThat(progress[1]).isCloseTo(0.75, EXACT);
  }

  @Test
  void shouldFillALinkOrBeAsFastAsAloneWithoutAFasterOneThere() {
    Random random = new Random(23);
    for (int number = 0; number < CASES; number++) {
      List<LinkUse> uses = IntStream.range(0, 1 + random.nextInt(5)).mapToObj(each -> {
        double[] shares = random.doubles(PLACES).map(share -> share < 0.5 ? 0 : share).toArray();
        return use(0.1 + random.nextDouble(), shares);
      }).toList();
      requireFair(uses, FairProgress.of(uses));
    }
  }

  private static void requireFair(List<LinkUse> uses, double[] progress) {
    double[] load = new double[PLACES];
    double[] fastest = new double[PLACES];
    for (int i = 0; i < progress.length; i++) {
      for (int link = 0; link < uses.get(i).links(); link++) {
        int place = uses.get(i).place(link);
        load[place] += progress[i] * uses.get(i).share(link);
        fastest[place] = Math.max(fastest[place], progress[i] * uses.get(i).flowRate());
      }
    }
    assertThat(Arrays.stream(load).max().orElseThrow()).isLessThan(1 + 1e-6);
    for (int i = 0; i < progress.length; i++) {
      LinkUse use = uses.get(i);
      double rate = progress[i] * use.flowRate();
      boolean held = IntStream.range(0, use.links()).map(use::place)
          .anyMatch(place -> load[place] > 1 - 1e-6 && rate > fastest[place] - 1e-6);
      assertThat(held || progress[i] > 1 - 1e-6).as("%s of %s", i, Arrays.toString(progress)).isTrue();
    }
  }
}
