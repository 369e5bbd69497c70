package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds rates that follow every change against progressive filling of the whole network from nothing. */
class FairShareTest {
  private static final double RELATIVE = 1e-6;

  private static void begin(FairShare shares, int flow, double weight, int... links) {
    shares.reserve(flow + 1);
    double[] weights = new double[links.length];
    Arrays.fill(weights, weight);
    shares.begin(flow, links, weights, null, links.length);
  }

  private static void solve(FairShare shares) {
    shares.solve();
    shares.settle();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 1000})
  void shouldDivideALinkEvenlyWhenFlowsShareIt(int flows) {
    FairShare shares = new FairShare(1);
    for (int flow = 0; flow < flows; flow++) {
      begin(shares, flow, 80, 0);
    }
    solve(shares);
    for (int flow = 0; flow < flows; flow++) {
      assertThat(shares.rate(flow)).isCloseTo(1.0 / 80 / flows, within(1e-12));
    }
  }

  @Test
  void shouldGiveHalfToEveryFlowOfAParkingLotWhenOneCrossesAllLinks() {
    FairShare shares = new FairShare(5);
    begin(shares, 0, 1, 0, 1, 2, 3, 4);
    for (int link = 0; link < 5; link++) {
      begin(shares, 1 + link, 1, link);
    }
    solve(shares);
    for (int flow = 0; flow <= 5; flow++) {
      assertThat(shares.rate(flow)).isCloseTo(0.5, within(1e-12));
    }
    shares.end(0);
    solve(shares);
    for (int flow = 1; flow <= 5; flow++) {
      assertThat(shares.rate(flow)).isCloseTo(1, within(1e-12));
    }
  }

  @Test
  void shouldGiveWhatABottleneckedFlowLeavesToTheOthersWhenTheyCanTakeIt() {
    // The textbook's network: three flows on link 0 of which one goes on over link 1 with one other.
    FairShare shares = new FairShare(2);
    begin(shares, 0, 1, 0);
    begin(shares, 1, 1, 0);
    begin(shares, 2, 1, 0, 1);
    begin(shares, 3, 1, 1);
    solve(shares);
    assertThat(shares.rate(0)).isCloseTo(1.0 / 3, within(1e-12));
    assertThat(shares.rate(2)).isCloseTo(1.0 / 3, within(1e-12));
    assertThat(shares.rate(3)).isCloseTo(2.0 / 3, within(1e-12));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void shouldEqualProgressiveFillingWhenFlowsComeAndGoAtRandom(long seed) {
    RandomStream random = RandomStream.of(seed, "fair-share", "graph");
    int links = 1 + random.nextInt(40);
    int most = 1 + random.nextInt(60);
    int longest = 1 + random.nextInt(Math.min(12, links));
    FairShare shares = new FairShare(links);
    shares.reserve(most);
    Reference reference = new Reference(links, most);
    for (int change = 0; change < 300; change++) {
      for (int together = random.nextInt(3); together >= 0; together--) {
        int flow = random.nextInt(most);
        if (reference.isRunning(flow)) {
          shares.end(flow);
          reference.end(flow);
        } else {
          reference.begin(flow, random, longest);
          shares.begin(flow, reference.links(flow), reference.weights(flow), null, reference.links(flow).length);
        }
      }
      solve(shares);
      double[] expected = reference.rates();
      for (int flow = 0; flow < most; flow++) {
        assertThat(shares.rate(flow)).as("seed %d, change %d, flow %d", seed, change, flow)
            .isCloseTo(expected[flow], within(RELATIVE * expected[flow]));
      }
      for (int link = 0; link < links; link++) {
        assertThat(shares.usage(link)).as("seed %d, change %d, link %d", seed, change, link)
            .isLessThanOrEqualTo(1 + RELATIVE);
      }
    }
  }

  @Test
  void shouldLookAtNoFlowBeyondThoseItSharesWithWhenOneComes() {
    FairShare shares = new FairShare(200);
    for (int flow = 0; flow < 200; flow++) {
      begin(shares, flow, 1, flow);
    }
    solve(shares);
    begin(shares, 200, 1, 17, 18);
    assertThat(shares.solve()).isEqualTo(3);
  }

  /** Raises all rates together, link by link, over all flows: slow and plain. */
  private static final class Reference {
    private final int[][] links;
    private final double[][] weights;
    private final int linkCount;

    Reference(int linkCount, int flows) {
      this.linkCount = linkCount;
      links = new int[flows][0];
      weights = new double[flows][0];
    }

    boolean isRunning(int flow) {
      return links[flow].length > 0;
    }

    void end(int flow) {
      links[flow] = new int[0];
    }

    void begin(int flow, RandomStream random, int longest) {
      int length = 1 + random.nextInt(longest);
      int from = random.nextInt(linkCount);
      links[flow] = new int[length];
      weights[flow] = new double[length];
      for (int i = 0; i < length; i++) {
        links[flow][i] = (from + i * (1 + linkCount / 13)) % linkCount;
        weights[flow][i] = random.nextInt(3) == 0 ? 1 : 0.01 + 3 * random.nextDouble();
      }
    }

    int[] links(int flow) {
      return links[flow].clone();
    }

    double[] weights(int flow) {
      return weights[flow].clone();
    }

    double[] rates() {
      double[] rate = new double[links.length];
      boolean[] held = new boolean[links.length];
      while (true) {
        double lowest = Double.POSITIVE_INFINITY;
        for (int link = 0; link < linkCount; link++) {
          lowest = Math.min(lowest, level(link, rate, held));
        }
        if (lowest == Double.POSITIVE_INFINITY) {
          return rate;
        }
        boolean[] full = new boolean[linkCount];
        for (int link = 0; link < linkCount; link++) {
          full[link] = level(link, rate, held) <= lowest * (1 + 1e-12);
        }
        for (int flow = 0; flow < links.length; flow++) {
          for (int link : links[flow]) {
            if (full[link] && !held[flow]) {
              rate[flow] = lowest;
              held[flow] = true;
            }
          }
        }
      }
    }

    private double level(int link, double[] rate, boolean[] held) {
      double left = 1;
      double open = 0;
      for (int flow = 0; flow < links.length; flow++) {
        for (int i = 0; i < links[flow].length; i++) {
          if (links[flow][i] == link && held[flow]) {
            left -= rate[flow] * weights[flow][i];
          } else if (links[flow][i] == link) {
            open += weights[flow][i];
          }
        }
      }
      return open == 0 ? Double.POSITIVE_INFINITY : Math.max(0, left) / open;
    }
  }
}
