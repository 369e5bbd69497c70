package dev.heddle.collectives.nccl.custom;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Provides the one- and two-shot all_reduce of inference engines (vLLM, SGLang, TensorRT-LLM) among GPUs of a node that
 * reach each other's memory.
 *
 * <p>One shot: after a barrier each rank loads the whole buffer of every other and adds, {@code (n - 1) s} bytes over
 * its links. Two shots: each rank adds its part of all buffers, {@code (n - 1) / n s} bytes, and after another barrier
 * all load the sums of the others, as many bytes. A last barrier keeps buffers until all have read them. [vLLM,
 * csrc/custom_all_reduce.cuh, for the kernels and for the size up to which one shot is taken.]
 */
@Plugin(id = "custom-all-reduce", description = "One- and two-shot all_reduce of inference engines within a node")
public final class CustomAllReduceProvider implements CollectiveAlgorithmProvider<CustomAllReduceProvider.Settings> {
  static final String ID = "custom-all-reduce";
  private static final double PS_PER_NANO = 1e3;

  /**
   * Times of the kernel, and the choice between its forms.
   *
   * @param rate at which the loads of all thread blocks of a GPU move data over its links
   * @param flag time of a barrier: a store to a peer and the poll that sees it
   * @param launch from the call to the kernel's first step, and from its last to the next kernel's
   * @param oneShotUpTo the largest size of one shot; absent: vLLM's, any size of two ranks, below 512 KiB of three and
   *     four, below 256 KiB of more
   */
  public record Settings(
      @Setting("data rate of the loads of all thread blocks over a GPU's links") DataRate rate,
      @Setting("time of a barrier: a store to a peer and the poll that sees it") SimTime flag,
      @Setting(value = "from the call to the kernel's first step, and from its last to the next one's, in a graph",
          def = "3 us", source = "an empty kernel takes 2 to 3 us") SimTime launch,
      @Setting("greatest size of one shot; without it any size of 2 ranks, below 512 KiB of 3 and 4, below 256 KiB of"
          + " more, as vLLM has it") Optional<DataSize> oneShotUpTo) {
    /** The largest size of one shot among ranks, bytes. */
    long oneShotBytes(int ranks) {
      return oneShotUpTo.map(DataSize::bytes).orElse(ranks <= 2 ? Long.MAX_VALUE
          : DataSize.ofKiB(ranks <= 4 ? 512 : 256).bytes() - 1);
    }

    TransportModel protocol(int ranks) {
      TransportModel.Costs costs = new TransportModel.Costs(launch.ps() + flag.ps(), 0, 0, 0, flag.ps(), flag.ps(), 0,
          (ranks - 1) * PS_PER_NANO / rate.bytesPerNano(), 0);
      return new TransportModel("custom", 1, 1, Long.MAX_VALUE, 0, costs);
    }
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new Custom(settings);
  }

  private record Custom(Settings settings) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      for (int rank = 1; rank < group.size(); rank++) {
        if (cluster.node(group.member(rank)) != cluster.node(group.member(0))) {
          throw new InvalidSettingException("", ID + " works within a node, where ranks load each other's memory; its"
              + " ranks 0 and " + rank + " are on two nodes");
        }
      }
      return collective -> CollectivePlan.of(plan(collective));
    }

    private Schedule plan(Collective collective) {
      if (collective.op() != CollectiveOp.ALL_REDUCE) {
        throw new InvalidSettingException("", ID + " does not do " + collective.op().key() + "; it does all_reduce");
      }
      int ranks = collective.ranks();
      boolean once = collective.bytes() <= settings.oneShotBytes(ranks);
      Layout layout = Layout.of(collective, once ? 1 : ranks);
      Schedule schedule = Schedule.planned(ID, layout,
          rank -> once || ranks == 1 ? ShotSteps.one(layout, rank) : ShotSteps.two(layout, rank));
      return ranks == 1 ? schedule : schedule.withProtocol(settings.protocol(ranks));
    }
  }
}
