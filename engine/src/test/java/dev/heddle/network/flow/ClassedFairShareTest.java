package dev.heddle.network.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.NetworkException;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds rates of flows of several traffic classes against closed forms, and against those of links without classes. */
class ClassedFairShareTest {
  private static final int[] WEIGHTS = {3, 1, LinkClasses.STRICT, LinkClasses.STRICT};

  private static void begin(FairShare shares, int flow, int trafficClass, double weight, int... links) {
    shares.reserve(flow + 1);
    double[] weights = new double[links.length];
    Arrays.fill(weights, weight);
    shares.treat(flow, trafficClass, links.length);
    shares.begin(flow, links, weights, null, links.length);
  }

  private static void solve(FairShare shares) {
    shares.solve();
    shares.settle();
  }

  private static FairShare withClasses(int... plainLinks) {
    int[][] weights = new int[1 + plainLinks.length][];
    weights[0] = WEIGHTS;
    return new ClassedFairShare(weights.length, LinkClasses.of(weights));
  }

  /** Of a weight of 3 and one of 1, three quarters and one, divided among the flows of each class. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "1, 5", "7, 3"})
  void shouldDivideALinkByWeightsWhenBothClassesHaveFlows(int heavy, int light) {
    FairShare shares = withClasses();
    for (int flow = 0; flow < heavy + light; flow++) {
      begin(shares, flow, flow < heavy ? 0 : 1, 80, 0);
    }
    solve(shares);
    for (int flow = 0; flow < heavy + light; flow++) {
      double share = flow < heavy ? 0.75 / heavy : 0.25 / light;
      assertThat(shares.rate(flow)).isCloseTo(share / 80, within(1e-12));
    }
    assertThat(shares.isFull(0)).isTrue();
    assertThat(shares.usage(0)).isCloseTo(1, within(1e-9));
  }

  @Test
  void shouldGiveAllToAClassWhenTheOtherEnds() {
    FairShare shares = withClasses();
    begin(shares, 0, 0, 1, 0);
    begin(shares, 1, 1, 1, 0);
    solve(shares);
    shares.end(0);
    solve(shares);
    assertThat(shares.rate(1)).isCloseTo(1, within(1e-12));
    assertThat(shares.bottleneck(1)).isZero();
  }

  /** The highest strict class takes what its other link lets it, the next one the rest, the weighted ones nothing. */
  @Test
  void shouldServeStrictClassesFirst() {
    FairShare shares = withClasses(1);
    begin(shares, 0, 3, 1, 0, 1);
    begin(shares, 1, 0, 1, 1);
    begin(shares, 2, 2, 1, 0);
    begin(shares, 3, 0, 1, 0);
    solve(shares);
    assertThat(shares.rate(0)).isCloseTo(0.5, within(1e-9));
    assertThat(shares.rate(2)).isCloseTo(0.5, within(1e-9));
    assertThat(shares.rate(3)).isZero();
    shares.end(2);
    solve(shares);
    assertThat(shares.rate(3)).isCloseTo(0.5, within(1e-9));
  }

  /** Three quarters would be the first flow's, of which its other link lets it have a half: the second has the rest. */
  @Test
  void shouldLeaveToOtherClassesWhatAClassCannotTake() {
    FairShare shares = withClasses(1);
    begin(shares, 0, 0, 1, 0, 1);
    begin(shares, 1, 1, 1, 0);
    begin(shares, 2, 1, 1, 1);
    solve(shares);
    assertThat(shares.rate(0)).isCloseTo(0.5, within(1e-9));
    assertThat(shares.rate(1)).isCloseTo(0.5, within(1e-9));
    assertThat(shares.bottleneck(0)).isEqualTo(1);
    assertThat(shares.bottleneck(1)).isZero();
  }

  /** Acknowledgements go first: of a full link they take their part, and are not held to the rate of its flows. */
  @Test
  void shouldNotLimitAFlowByTheLinkOfItsAcknowledgements() {
    FairShare shares = withClasses(1);
    for (int flow = 0; flow < 4; flow++) {
      begin(shares, flow, 0, 1, 0);
    }
    shares.reserve(5);
    shares.treat(4, 0, 1);
    shares.begin(4, new int[] {1, 0}, new double[] {1, 0.02}, null, 2);
    solve(shares);
    assertThat(shares.rate(4)).isCloseTo(1, within(1e-9));
    assertThat(shares.rate(0)).isCloseTo(0.98 / 4, within(1e-9));
  }

  /** Without classes the max-min fair rates are the only ones: those of the other solver. */
  @Test
  void shouldHaveRatesOfFairShareWhenLinksHaveNoClasses() {
    for (int seed = 0; seed < 200; seed++) {
      RandomStream random = RandomStream.of(seed, "classed", "plain");
      int links = 2 + random.nextInt(12);
      FairShare plain = new FairShare(links);
      FairShare classed = new ClassedFairShare(links, LinkClasses.of(new int[links][]));
      int flows = 1 + random.nextInt(30);
      for (int flow = 0; flow < flows; flow++) {
        int[] path = path(random, links);
        double weight = 1 + random.nextDouble();
        begin(plain, flow, 0, weight, path);
        begin(classed, flow, 0, weight, path);
      }
      solve(plain);
      solve(classed);
      for (int flow = 0; flow < flows; flow++) {
        assertThat(classed.rate(flow)).as("seed " + seed).isCloseTo(plain.rate(flow), within(1e-6));
      }
    }
  }

  private static int[] path(RandomStream random, int links) {
    return IntStream.range(0, 1 + random.nextInt(4)).map(each -> random.nextInt(links)).distinct().toArray();
  }

  /**
   * In any network no link is beyond its rate, and each flow has a link that is full, on which no flow of its class is
   * faster, no flow of a class that goes after its own has anything, and no class has more for its weight.
   */
  @Test
  void shouldGiveEveryFlowABottleneckOfItsClass() {
    for (int seed = 0; seed < 300; seed++) {
      RandomStream random = RandomStream.of(seed, "classed", "bottleneck");
      int links = 1 + random.nextInt(8);
      int[][] weights = new int[links][];
      Arrays.fill(weights, WEIGHTS);
      FairShare shares = new ClassedFairShare(links, LinkClasses.of(weights));
      int flows = 1 + random.nextInt(20);
      int[] classes = new int[flows];
      for (int flow = 0; flow < flows; flow++) {
        classes[flow] = random.nextInt(4);
        int link = random.nextInt(links);
        int next = (link + 1) % links;
        begin(shares, flow, classes[flow], 1, next == link || random.nextInt(2) == 0
            ? new int[] {link} : new int[] {link, next});
      }
      solve(shares);
      for (int flow = 0; flow < flows; flow++) {
        shouldBeLimited(shares, classes, flow, "seed " + seed + ", flow " + flow);
      }
    }
  }

  private static void shouldBeLimited(FairShare shares, int[] classes, int flow, String name) {
    int link = shares.bottleneck(flow);
    double[] sums = new double[WEIGHTS.length];
    for (int other = 0; other < classes.length; other++) {
      for (int n = 0; n < shares.links(other); n++) {
        if (shares.link(other, n) == link) {
          sums[classes[other]] += shares.rate(other);
          if (classes[other] == classes[flow]) {
            assertThat(shares.rate(other)).as(name).isLessThanOrEqualTo(shares.rate(flow) + 1e-6);
          }
        }
      }
    }
    int own = classes[flow];
    assertThat(Arrays.stream(sums).sum()).as(name).isBetween(1 - 1e-6, 1 + 1e-6);
    for (int other = 0; other < WEIGHTS.length; other++) {
      boolean strict = WEIGHTS[own] == LinkClasses.STRICT;
      boolean otherStrict = WEIGHTS[other] == LinkClasses.STRICT;
      if (strict && (!otherStrict || other < own)) {
        assertThat(sums[other]).as(name).isLessThan(1e-6);
      } else if (!strict && !otherStrict) {
        assertThat(sums[other] / WEIGHTS[other]).as(name).isLessThanOrEqualTo(sums[own] / WEIGHTS[own] + 1e-6);
      }
    }
  }

  @Test
  void shouldRefuseAClassThatNoLinkHas() {
    FairShare shares = withClasses();
    shares.reserve(1);
    assertThatThrownBy(() -> shares.treat(0, 4, 1)).isInstanceOf(NetworkException.class)
        .hasMessageContaining("classes 0 to 3");
  }
}
