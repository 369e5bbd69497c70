package dev.heddle.topology.fattree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.tier.TierPlan;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Placement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShapeTest {

  @ParameterizedTest
  @CsvSource({"32, 12, 8, 8", "128, 24, 16, 16"})
  void shouldHaveSwitchesOfSauronTable3WhenNodesAreGiven(int nodes, int switches, int leafRadix, int spineRadix) {
    Shape shape = ShapeChoice.of(FatTrees.DEFAULTS).shape(nodes);
    assertThat(shape.terminals()).isEqualTo(nodes);
    assertThat(shape.switches()).isEqualTo(switches);
    assertThat(shape.radix(1)).isEqualTo(leafRadix);
    assertThat(shape.radix(2)).isEqualTo(spineRadix);
    TierPlan plan =
        new FatTreeTopologyProvider().create(FatTrees.DEFAULTS).plan(Fabrics.terminals(DeviceKind.NIC, nodes));
    assertThat(plan.devices() - plan.terminals()).isEqualTo(switches);
    assertThat(plan.links()).as("directed links: terminals, then leaves times spines").isEqualTo(2 * (nodes + nodes));
  }

  @ParameterizedTest
  @CsvSource({"2, 2, 3", "2, 4, 7", "4, 2, 6", "4, 3, 20", "8, 3, 80", "6, 4, 189"})
  void shouldCountSwitchesOfRealLifeFatTreeInClosedForm(int radix, int levels, int switches) {
    Shape shape = ShapeChoice.of(FatTrees.radix(levels, radix, 1)).shape(1);
    int half = radix / 2;
    assertThat(shape.terminals()).isEqualTo(2 * Math.round(Math.pow(half, levels)));
    assertThat(shape.switches()).isEqualTo((2L * levels - 1) * Math.round(Math.pow(half, levels - 1)));
    for (int level = 1; level <= levels; level++) {
      assertThat(shape.radix(level)).as("radix of level %s", level).isEqualTo(radix);
    }
    assertThat(switches).isEqualTo(shape.switches());
  }

  @Test
  void shouldSplitLeafPortsWhenOversubscribed() {
    Shape shape = ShapeChoice.of(FatTrees.radix(2, 36, 2)).shape(500);
    assertThat(shape.toString()).isEqualTo("PGFT(2; 24,36; 1,12; 1,1)");
    assertThat(shape.terminals()).isEqualTo(864);
    assertThat(shape.radix(1)).isEqualTo(36);
  }

  @Test
  void shouldGiveKAryNTreeWhenDownAndUpAreEqual() {
    Shape shape = ShapeChoice.of(FatTrees.shape(List.of(3, 3, 3), List.of(), List.of())).shape(27);
    assertThat(shape.toString()).isEqualTo("PGFT(3; 3,3,3; 1,3,3; 1,1,1)");
    assertThat(IntStream.rangeClosed(1, 3).mapToObj(shape::devices)).containsOnly(9L);
  }

  @Test
  void shouldShareParentsWhenCablesAreParallel() {
    Shape shape = ShapeChoice.of(FatTrees.shape(List.of(8, 4), List.of(), List.of(1, 4))).shape(32);
    assertThat(shape.toString()).isEqualTo("PGFT(2; 8,4; 1,2; 1,4)");
    assertThat(shape.switches()).isEqualTo(6);
  }

  @Test
  void shouldSayWhatTreeHoldsWhenTerminalsAreTooMany() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> ShapeChoice.of(FatTrees.radix(2, 8, 1)).shape(40))
        .withMessage("40 terminals; PGFT(2; 4,8; 1,4; 1,1) holds 1 to 32")
        .satisfies(e -> assertThat(e.component()).isEqualTo("radix"));
  }

  @Test
  void shouldSayWhichRadixFitsWhenItCannotBeSplit() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> ShapeChoice.of(FatTrees.radix(2, 16, 2)))
        .withMessageContaining("16 ports")
        .withMessageContaining("a multiple of 6");
  }

  @Test
  void shouldPlaceTerminalsAsAskedWhenTreeIsNotFull() {
    Shape shape = Shape.of(List.of(4, 8), List.of(1, 4), List.of(1, 1));
    assertThat(FatTreePlanner.places(Placement.PACKED, shape, 6)).containsExactly(0, 1, 2, 3, 4, 5);
    assertThat(FatTreePlanner.places(Placement.SPREAD, shape, 12))
        .containsExactly(0, 1, 4, 8, 9, 12, 16, 17, 20, 24, 25, 28);
    assertThat(FatTreePlanner.places(Placement.ROUND_ROBIN, shape, 9))
        .containsExactly(0, 4, 8, 12, 16, 20, 24, 28, 1);
  }
}
