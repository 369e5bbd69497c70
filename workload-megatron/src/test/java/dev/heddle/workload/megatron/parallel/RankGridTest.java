package dev.heddle.workload.megatron.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Group;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Compares groups of many degrees of parallelism with those of Megatron-LM. */
class RankGridTest {
  private static final Registry REGISTRY = Registry.discover(RankGridTest.class.getClassLoader(), List.of());

  /** A grid of degrees that are written as in a scenario. */
  private static RankGrid grid(String degrees, int ranks) {
    return new RankGrid(
        new ScenarioReader(REGISTRY).record(Parallelism.class, "degrees", "{" + degrees + "}"), ranks);
  }

  @Test
  void shouldPlaceRanksAsMegatronDoesWhenDegreesAreThoseOfItsManual() {
    // The example of Megatron-LM's initialize_model_parallel: 16 GPUs, tensor 2, pipeline 4.
    RankGrid grid = grid("tensor: 2, pipeline: 4", 16);
    assertThat(grid.members(GroupKind.DATA, 0)).containsExactly(0, 2);
    assertThat(grid.members(GroupKind.DATA, 13)).containsExactly(13, 15);
    assertThat(grid.members(GroupKind.TENSOR, 6)).containsExactly(6, 7);
    assertThat(grid.atStage(1, 3)).isEqualTo(13);
    assertThat(grid.members(GroupKind.MODEL, 2)).containsExactly(2, 3, 6, 7, 10, 11, 14, 15);
  }

  @Test
  void shouldPlaceStagesSideBySideWhenThePipelineIsNumberedBeforeTheData() {
    // Megatron-LM's other order, tp-cp-ep-pp-dp: each copy of the model is on 8 consecutive ranks.
    RankGrid grid = grid("tensor: 2, pipeline: 4, placement: [tensor, context, pipeline, data]", 16);
    assertThat(grid.members(GroupKind.MODEL, 9)).containsExactly(8, 9, 10, 11, 12, 13, 14, 15);
    assertThat(grid.members(GroupKind.DATA, 3)).containsExactly(3, 11);
    assertThat(grid.stage(13)).isEqualTo(2);
    assertThat(grid.atStage(13, 0)).isEqualTo(9);
  }

  @Test
  void shouldRefuseAPlacementThatLacksADimension() {
    assertThatThrownBy(() -> grid("placement: [tensor, data, data, pipeline]", 16))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("once each");
  }

  @Test
  void shouldRefuseDegreesWhoseProductPassesAnInteger() {
    assertThatThrownBy(() -> grid("context: 65536, pipeline: 65536", 16)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("16 ranks are not divided by tensor 1 x context 65536 x pipeline 65536 = 4294967296");
  }

  @Test
  void shouldPutEveryRankIntoOneGroupOfEachKind() {
    Seeds.several(40).forEach(seed -> {
      RandomStream random = RandomStream.of(seed, "grid", "degrees");
      int tensor = 1 << random.nextInt(3);
      int context = 1 << random.nextInt(4);
      String exchange = exchange(context, random.nextInt(4));
      int pipeline = 1 + random.nextInt(4);
      int expert = 1 << random.nextInt(2);
      int replicas = 1 + random.nextInt(3);
      int data = replicas * expert * (2 + random.nextInt(2));
      List<Dimension> placement = new ArrayList<>(List.of(Dimension.values()));
      for (int i = placement.size() - 1; i > 0; i--) {
        Collections.swap(placement, i, random.nextInt(i + 1));
      }
      RankGrid grid = grid(
          "tensor: " + tensor + ", pipeline: " + pipeline + ", context: " + context + exchange + ", expert: " + expert
              + ", sharding: optimizer, replicas: " + replicas + ", placement: "
              + placement.toString().toLowerCase(Locale.ROOT),
          tensor * context * pipeline * data);
      List<Group> groups = grid.groups();
      for (GroupKind kind : GroupKind.values()) {
        for (int rank = 0; rank < grid.ranks() && grid.size(kind) > 1; rank++) {
          boolean embeds = grid.stage(rank) == 0 || grid.stage(rank) == pipeline - 1;
          if (kind != GroupKind.EMBEDDING || embeds) {
            int[] members = grid.members(kind, rank);
            assertThat(members).as("seed %s, %s of rank %s", seed, kind, rank).contains(rank).doesNotHaveDuplicates();
            assertThat(groups.get(grid.group(kind, rank)).members()).as("seed %s", seed).isEqualTo(members);
            assertThat(grid.kind(grid.group(kind, rank))).as("seed %s", seed).isEqualTo(kind);
          }
        }
      }
      int expected = 0;
      for (GroupKind kind : GroupKind.values()) {
        int members = kind == GroupKind.EMBEDDING ? tensor * context * data : grid.ranks() / grid.size(kind);
        expected += grid.size(kind) > 1 ? members : 0;
      }
      assertThat(groups.stream().filter(group -> group.size() > 1)).as("seed %s", seed).hasSize(expected);
    });
  }

  private static String exchange(int context, int kind) {
    return context == 1 ? "" : kind == 3 && context > 2 ? ", context-exchange: a2a-p2p, context-heads: 2"
        : ", context-exchange: " + List.of("p2p", "all-gather", "a2a", "p2p").get(kind);
  }

  // Eight ranks by two dimensions, as PyTorch's mesh (replicate, shard) and Megatron-Core's levels of context have it.
  @Test
  void shouldShareStatesAmongNeighboursWhenThereAreReplicas() {
    RankGrid grid = grid("sharding: parameters, replicas: 2", 8);
    assertThat(grid.members(GroupKind.PARAMETERS, 6)).containsExactly(4, 5, 6, 7);
    assertThat(grid.members(GroupKind.REPLICAS, 6)).containsExactly(2, 6);
    RankGrid experts = grid("sharding: optimizer, replicas: 2, expert: 2", 8);
    assertThat(experts.members(GroupKind.EXPERT_DATA, 1)).containsExactly(1, 3);
    assertThat(experts.members(GroupKind.EXPERT_REPLICAS, 1)).containsExactly(1, 5);
  }

  @Test
  void shouldExchangeHeadsAmongNeighboursWhenOthersGoRoundARing() {
    RankGrid grid = grid("context: 8, context-exchange: a2a-p2p, context-heads: 2", 8);
    assertThat(grid.members(GroupKind.CONTEXT_HEADS, 5)).containsExactly(4, 5);
    assertThat(grid.members(GroupKind.CONTEXT, 5)).containsExactly(1, 3, 5, 7);
  }

  @Test
  void shouldReachAllDataParallelRanksWhenGradientsAreScatteredAndThenAddedUp() {
    RankGrid grid = grid("tensor: 2, sequence-parallel: true, context: 2, sharding: optimizer, replicas: 3", 48);
    for (int rank = 0; rank < 48; rank++) {
      List<Integer> reached = new ArrayList<>();
      for (int sharing : grid.members(GroupKind.DATA, rank)) {
        reached.addAll(Ints.asList(grid.members(GroupKind.REPLICAS, sharing)));
      }
      int[] all = grid("tensor: 2, sequence-parallel: true, context: 2", 48).members(GroupKind.DATA, rank);
      assertThat(reached).containsExactlyInAnyOrderElementsOf(Ints.asList(all));
    }
  }

  @Test
  void shouldShareTensorAndDataGroupsByOneRankOnly() {
    RankGrid grid = grid("tensor: 4, sequence-parallel: true, pipeline: 2, context: 2", 64);
    for (int rank = 0; rank < 64; rank++) {
      int[] tensor = grid.members(GroupKind.TENSOR, rank);
      int[] data = grid.members(GroupKind.DATA, rank);
      assertThat(Arrays.stream(tensor).filter(t -> Arrays.stream(data).anyMatch(d -> d == t)).toArray())
          .containsExactly(rank);
    }
  }

  @Test
  void shouldNameTheRanksOfAStageThatShareANodeWhenGroupsAreSmallerThanIt() {
    RankGrid grid = grid("tensor: 2, pipeline: 2", 16);
    assertThat(grid.concurrentSenders(0, rank -> rank / 8)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(grid.concurrentSenders(8, rank -> rank / 4)).containsExactly(8, 9, 10, 11);
    assertThat(grid("tensor: 2, pipeline: 4", 8).concurrentSenders(2, rank -> rank / 8))
        .containsExactly(2, 3);
    assertThat(grid("tensor: 4, pipeline: 2", 8).concurrentSenders(4, rank -> rank / 2))
        .containsExactly(4, 5, 6, 7);
  }

  @Test
  void shouldRefuseDegreesThatDoNotDivideTheRanks() {
    assertThatThrownBy(() -> grid("tensor: 8", 12))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("12 ranks").hasMessageContaining("tensor 8");
    assertThatThrownBy(() -> grid("expert: 4", 6))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("4 does not divide the 6");
    assertThatThrownBy(() -> grid("sharding: optimizer, replicas: 4", 6))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("4 does not divide the 6 data-parallel");
    assertThatThrownBy(() -> grid("sharding: optimizer, replicas: 6", 6))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("share nothing");
    assertThatThrownBy(() -> grid("sharding: optimizer, replicas: 2, expert: 6", 6))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("1 ranks that have the same experts");
  }
}
