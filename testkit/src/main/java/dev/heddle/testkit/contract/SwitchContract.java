package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Granularity;
import dev.heddle.spi.Switch;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Switch}. The dynamic ones run a star of eight terminals through the packet network, in packets
 * and in bursts.
 *
 * @param <S> the settings record
 */
public abstract class SwitchContract<S extends Record> extends ProviderContract<S, Switch> {
  private static final int TERMINALS = 8;
  private static final int INCAST_MESSAGES = 40;

  @Test
  void switch1ShouldAnswerAlikeAtEveryCall() {
    for (S settings : settings()) {
      Switch device = product(settings);
      List<Object> first = answers(device);
      assertThat(answers(device)).as("%s", settings).isEqualTo(first);
      assertThat(answers(product(settings))).as("%s, made again", settings).isEqualTo(first);
    }
  }

  private static List<Object> answers(Switch device) {
    return List.of(
        device.latencyPs(), device.switching(), device.buffering(), device.arbitration(), device.inputBufferBytes(),
        device.outputBufferBytes());
  }

  @Test
  void switch2ShouldHaveLatencyOfAtLeastZero() {
    for (S settings : settings()) {
      assertThat(product(settings).latencyPs()).as("%s", settings).isNotNegative();
    }
  }

  @Test
  void switch3ShouldHaveBuffersOfAtLeastZero() {
    for (S settings : settings()) {
      assertThat(product(settings).inputBufferBytes()).as("input buffer, %s", settings).isNotNegative();
      assertThat(product(settings).outputBufferBytes()).as("output buffer, %s", settings).isNotNegative();
    }
  }

  @Test
  void switch4ShouldForwardEveryUnitOnceAndInOrder() {
    forAll((device, options) -> {
      // Every input feeds one output, so that its bursts appear there in order, from ten messages of different sizes.
      Fabric fabric = Fabrics.star(TERMINALS, device);
      List<Offer> offers = new ArrayList<>();
      RandomStream random = RandomStream.of(Seeds.fixed(), "SwitchContract", "sizes");
      for (int i = 0; i < 10 * TERMINALS; i++) {
        int source = i % TERMINALS;
        offers.add(new Offer(source, (source + 3) % TERMINALS, 1 + random.nextInt(20_000)));
      }
      Deliveries seen = Deliveries.of(fabric, offers, options);
      for (int source = 0; source < TERMINALS; source++) {
        int destination = (source + 3) % TERMINALS;
        assertThat(seen.payloads(link(fabric, destination, false)))
            .as("units from %s at its output", source)
            .isNotEmpty()
            .isEqualTo(seen.payloads(link(fabric, source, true)));
        assertThat(sizesDelivered(seen, source)).as("messages of %s", source).isEqualTo(sizes(offers, source));
      }
    });
  }

  @Test
  void switch4ShouldDeliverEveryMessageOnceWhenAllSendToAll() {
    forAll((device, options) -> {
      List<Offer> offers = new ArrayList<>();
      for (int i = 0; i < 5 * TERMINALS * TERMINALS; i++) {
        int source = i % TERMINALS;
        int destination = i / TERMINALS % TERMINALS;
        if (source != destination) {
          offers.add(new Offer(source, destination, 1 + i * 7L % 9000));
        }
      }
      List<Offer> delivered =
          Deliveries.of(Fabrics.star(TERMINALS, device), offers, options).deliveries().stream()
              .map(delivery -> new Offer(delivery.source(), delivery.destination(), delivery.bytes()))
              .toList();
      assertThat(delivered).containsExactlyInAnyOrderElementsOf(offers);
    });
  }

  @Test
  void switch5ShouldServeAllInputsAlikeUnlessPriorityIsFixed() {
    forAll((device, options) -> {
      if (device.arbitration() == Switch.Arbitration.FIXED_PRIORITY) {
        return;
      }
      // The target moves through all positions: fairness may not lean on numbers.
      for (int target = 0; target < TERMINALS; target++) {
        int[] served = servedInFirstHalf(Fabrics.star(TERMINALS, device), target, options);
        for (int source = 0; source < TERMINALS; source++) {
          if (source != target) {
            assertThat((double) served[source])
                .as("messages of %s to %s in the first half; fair are %s", source, target, INCAST_MESSAGES / 2)
                .isBetween(INCAST_MESSAGES * 0.4, INCAST_MESSAGES * 0.6);
          }
        }
      }
    });
  }

  private static int[] servedInFirstHalf(Fabric fabric, int target, SimulationOptions options) {
    List<Offer> offers = new ArrayList<>();
    for (int i = 0; i < INCAST_MESSAGES * TERMINALS; i++) {
      if (i % TERMINALS != target) {
        offers.add(new Offer(i % TERMINALS, target, 4096));
      }
    }
    List<Deliveries.Delivery> deliveries = Deliveries.of(fabric, offers, options).deliveries();
    int[] served = new int[TERMINALS];
    for (Deliveries.Delivery delivery : deliveries.subList(0, deliveries.size() / 2)) {
      served[delivery.source()]++;
    }
    return served;
  }

  private interface DynamicRule {
    void check(Switch device, SimulationOptions options);
  }

  private void forAll(DynamicRule rule) {
    for (S settings : settings()) {
      for (Granularity granularity : Granularity.values()) {
        rule.check(product(settings), SimulationOptions.defaults().granularity(granularity, DataSize.ofKiB(4)));
      }
    }
  }

  // The directed link from a terminal to the switch, or back.
  private static int link(Fabric fabric, int terminal, boolean up) {
    for (int link = 0; link < fabric.links(); link++) {
      if ((up ? fabric.linkSource(link) : fabric.linkTarget(link)) == terminal) {
        return link;
      }
    }
    throw new IllegalStateException("terminal " + terminal + " has no link");
  }

  private static List<Long> sizes(List<Offer> offers, int source) {
    return offers.stream().filter(offer -> offer.source() == source).map(Offer::bytes).toList();
  }

  private static List<Long> sizesDelivered(Deliveries seen, int source) {
    return seen.deliveries().stream()
        .filter(delivery -> delivery.source() == source)
        .map(Deliveries.Delivery::bytes)
        .toList();
  }
}
