package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.heddle.spi.Link;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Link}, over payloads at the edges of packets, powers of two and seeded random ones.
 *
 * @param <S> the settings record
 */
public abstract class LinkContract<S extends Record> extends ProviderContract<S, Link> {
  private static final int LARGEST = 1 << 30;
  private static final int CLASSES = 8;

  private interface Rule {
    void check(Link link, int trafficClass, int[] payloads);
  }

  @Test
  void link1ShouldAnswerAlikeAtEveryCallAndFromEveryThread() throws InterruptedException {
    for (S settings : settings()) {
      Link link = product(settings);
      Map<Integer, List<Long>> expected = answers(link);
      Map<Integer, Map<Integer, List<Long>>> seen = new ConcurrentSkipListMap<>();
      List<Thread> threads =
          IntStream.range(0, 4).mapToObj(i -> new Thread(() -> seen.put(i, answers(link)))).toList();
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(seen).as("%s, threads", settings).hasSize(4);
      assertThat(seen.values()).as("%s", settings).containsOnly(expected);
      assertThat(answers(product(settings))).as("%s, made again", settings).isEqualTo(expected);
    }
  }

  private static Map<Integer, List<Long>> answers(Link link) {
    Map<Integer, List<Long>> answers = new TreeMap<>();
    for (int payload : payloads(link)) {
      List<Long> answer = new ArrayList<>();
      for (int trafficClass = 0; trafficClass < CLASSES; trafficClass++) {
        answer.add(link.wirePs(payload, trafficClass));
        answer.add(link.wireBytes(payload, trafficClass));
        answer.add(link.headPs(payload, trafficClass));
        answer.add(link.ackPs(payload, trafficClass));
      }
      answer.add((long) link.packets(payload));
      answers.put(payload, answer);
    }
    return answers;
  }

  @Test
  void link2ShouldTakePositiveMonotoneTimeNeverFasterThanRate() {
    forAll((link, trafficClass, payloads) -> {
      long before = 1;
      for (int payload : payloads) {
        long wirePs = link.wirePs(payload, trafficClass);
        assertThat(wirePs).as("wirePs(%s, %s) is monotone", payload, trafficClass).isGreaterThanOrEqualTo(before);
        assertThat(wirePs)
            .as("wirePs(%s, %s) at %s", payload, trafficClass, link.rate())
            .isGreaterThanOrEqualTo(link.rate().wirePs(payload));
        before = wirePs;
      }
    });
  }

  @Test
  void link3ShouldPutPayloadAndOverheadOnWireAtItsRate() {
    forAll((link, trafficClass, payloads) -> {
      long before = 0;
      for (int payload : payloads) {
        long wireBytes = link.wireBytes(payload, trafficClass);
        assertThat(wireBytes)
            .as("wireBytes(%s, %s)", payload, trafficClass)
            .isGreaterThanOrEqualTo(before)
            .isGreaterThanOrEqualTo(payload);
        assertThat(link.wirePs(payload, trafficClass))
            .as("wirePs(%s, %s) of %s wire bytes", payload, trafficClass, wireBytes)
            .isGreaterThanOrEqualTo(link.rate().wirePs(wireBytes));
        before = wireBytes;
      }
    });
  }

  @Test
  void link4ShouldCountPackets() {
    forAll((link, trafficClass, payloads) -> {
      long limit = link.maxPayloadBytes();
      assertThat(limit).as("maxPayloadBytes").isPositive();
      for (int payload : payloads) {
        long packets = link.packets(payload);
        assertThat(packets).as("packets(%s) of at most %s", payload, limit)
            .isEqualTo(Math.max(1, (payload + limit - 1) / limit));
      }
    });
  }

  @Test
  void link5ShouldHaveHeadWithinUnitAndAlikeForEveryTrain() {
    forAll((link, trafficClass, payloads) -> {
      long burst = link.headPs(2 * Math.min(link.maxPayloadBytes(), LARGEST / 2), trafficClass);
      for (int payload : payloads) {
        assertThat(link.headPs(payload, trafficClass))
            .as("headPs(%s, %s)", payload, trafficClass)
            .isPositive()
            .isLessThanOrEqualTo(link.wirePs(payload, trafficClass));
        if (payload > link.maxPayloadBytes()) {
          assertThat(link.headPs(payload, trafficClass)).as("headPs(%s, %s)", payload, trafficClass).isEqualTo(burst);
        }
      }
    });
  }

  @Test
  void link6ShouldHaveConstantLatencyOfAtLeastZero() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.latencyPs()).as("%s", settings).isNotNegative().isEqualTo(link.latencyPs());
    }
  }

  @Test
  void link7ShouldHaveConstantCreditsForOneToEightVirtualChannels() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.credits()).as("%s", settings).hasSizeBetween(1, CLASSES).isEqualTo(link.credits());
    }
  }

  @Test
  void link8ShouldTakeAtLeastNoTimeForAcknowledgements() {
    forAll((link, trafficClass, payloads) -> {
      for (int payload : payloads) {
        assertThat(link.ackPs(payload, trafficClass)).as("ackPs(%s, %s)", payload, trafficClass).isNotNegative();
      }
    });
  }

  @Test
  void link9ShouldRefuseNegativePayload() {
    forAll((link, trafficClass, payloads) -> {
      for (int payload : new int[] {-1, -link.maxPayloadBytes(), -link.maxPayloadBytes() - 1, Integer.MIN_VALUE}) {
        assertThatIllegalArgumentException().as("packets").isThrownBy(() -> link.packets(payload));
        assertThatIllegalArgumentException().as("wirePs").isThrownBy(() -> link.wirePs(payload, trafficClass));
        assertThatIllegalArgumentException().as("wireBytes").isThrownBy(() -> link.wireBytes(payload, trafficClass));
        assertThatIllegalArgumentException().as("headPs").isThrownBy(() -> link.headPs(payload, trafficClass));
        assertThatIllegalArgumentException().as("ackPs").isThrownBy(() -> link.ackPs(payload, trafficClass));
      }
    });
  }

  @Test
  void link10ShouldBeOneKindOfWire() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.medium()).as("%s", settings).isNotNull().isEqualTo(link.medium());
      assertThat(product(settings).medium()).as("%s, made again", settings).isEqualTo(link.medium());
    }
  }

  @Test
  void link11ShouldBeCrossedOnceByTrafficClass0AndNeverLessThanNotAtAll() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.memoryTransfers(0)).as("%s", settings).isEqualTo(1);
      for (int trafficClass = 0; trafficClass < 8; trafficClass++) {
        assertThat(link.memoryTransfers(trafficClass)).as("%s, class %s", settings, trafficClass).isNotNegative();
      }
    }
  }

  @Test
  void link12ShouldLoseAShareOfItsPackets() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.loss()).as("%s", settings).isBetween(0.0, 1.0).isEqualTo(product(settings).loss());
    }
  }

  @Test
  void link13ShouldHaveTheSameAddressesAlways() {
    for (S settings : settings()) {
      Link link = product(settings);
      assertThat(link.gids()).as("%s", settings).isEqualTo(link.gids()).isEqualTo(product(settings).gids());
    }
  }

  @Test
  void link14ShouldOccupyBothDirectionsWhenTheyShareAWire() {
    for (S settings : settings()) {
      assertThat(product(settings).halfDuplex()).as("%s", settings).isEqualTo(product(settings).halfDuplex());
    }
    forAll((link, trafficClass, payloads) -> {
      for (int payload : payloads) {
        if (link.halfDuplex()) {
          assertThat(link.ackPs(payload, trafficClass)).as("ackPs(%s, %s)", payload, trafficClass)
              .isEqualTo(link.wirePs(payload, trafficClass));
        }
      }
    });
  }

  private void forAll(Rule rule) {
    for (S settings : settings()) {
      Link link = product(settings);
      int[] payloads = payloads(link);
      for (int trafficClass = 0; trafficClass < CLASSES; trafficClass++) {
        rule.check(link, trafficClass, payloads);
      }
    }
  }

  private static int[] payloads(Link link) {
    long limit = link.maxPayloadBytes();
    RandomStream random = RandomStream.of(Seeds.fixed(), "LinkContract", "payloads");
    List<Long> payloads = new ArrayList<>(List.of(0L, 1L, 2L, 3L, (long) LARGEST - 1, (long) LARGEST));
    for (long packets = 1; packets <= 1024; packets *= 2) {
      payloads.addAll(List.of(packets * limit - 1, packets * limit, packets * limit + 1));
    }
    for (int shift = 0; shift < 30; shift++) {
      payloads.add((1L << shift) + random.nextInt(1 << shift));
    }
    return payloads.stream().filter(p -> p <= LARGEST).mapToInt(Math::toIntExact).sorted().distinct().toArray();
  }
}
