package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.megatron.Jobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks the order of the copies of activations against the passes that make and need them. */
class ActivationOffloadTest {
  private static final long LAYER_PS = 1_000_000;

  /** The operations of a forward and a backward pass whose layers take one to {@code layers} microseconds. */
  private static List<StageOp> passes(int layers, int offloaded) {
    double[] bytes = new double[offloaded];
    Arrays.setAll(bytes, layer -> 1 + layer);
    ActivationOffload offload = new ActivationOffload(bytes, layers, new HostCopies(1e-12, 1e-12));
    StageOps ops = new StageOps(kernel -> 0, Jobs.small("", "global: 16", "host-per-kernel: 0 s").execution());
    for (int layer = 0; layer < layers; layer++) {
      ops.idle(Activity.COMPUTE, (1 + layer) * 1e-6);
      offload.forward(ops, layer);
    }
    for (int layer = layers - 1; layer >= 0; layer--) {
      offload.backward(ops, layer);
      ops.idle(Activity.COMPUTE, (1 + layer) * 1e-6);
    }
    return ops.build();
  }

  @Test
  void shouldCopyEachLayerOutAfterItRanAndBackBeforeItIsNeeded() {
    Seeds.several(60).forEach(seed -> {
      RandomStream random = RandomStream.of(seed, "offload", "layers");
      int layers = 2 + random.nextInt(60);
      int offloaded = 1 + random.nextInt(layers - 1);
      String label = "seed " + seed + ": " + offloaded + " of " + layers;
      List<Integer> begun = new ArrayList<>();
      int ended = 0;
      List<Integer> passed = new ArrayList<>();
      for (StageOp op : passes(layers, offloaded)) {
        if (op instanceof StageOp.Copy copy) {
          int layer = (int) copy.ps() - 1;
          assertThat(passed).as(label).contains(layer);
          begun.add(layer);
        } else if (op instanceof StageOp.JoinCopies) {
          ended = begun.size();
        } else if (op instanceof StageOp.Compute compute) {
          int layer = (int) (compute.ps() / LAYER_PS) - 1;
          if (passed.contains(layer) && layer < offloaded) {
            assertThat(begun.subList(0, ended).stream().filter(each -> each == layer)).as(label).hasSize(2);
          }
          passed.add(layer);
        }
      }
      assertThat(begun).as(label).hasSize(2 * offloaded);
      assertThat(ended).as(label).isEqualTo(begun.size());
    });
  }

  // Three layers for each copy, as 4 of 12 layers are copied.
  @Test
  void shouldLeaveEachCopyTheTimeOfAsManyLayers() {
    List<Long> between = new ArrayList<>();
    long layers = 0;
    for (StageOp op : passes(12, 4)) {
      if (op instanceof StageOp.Compute) {
        layers++;
      } else if (op instanceof StageOp.JoinCopies) {
        between.add(layers);
        layers = 0;
      }
    }
    assertThat(between).containsExactly(3L, 3L, 3L, 3L, 0L, 3L, 3L, 3L, 2L);
  }
}
