package dev.heddle.cli.nccl;

import com.google.common.collect.ImmutableMap;
import dev.heddle.cli.CommandContext;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import java.util.Arrays;
import java.util.Optional;

/**
 * The tuner plug-ins of clouds, which choose algorithm and protocol otherwise than NCCL does. They are not modelled; a
 * user is told of them.
 */
final class CloudTuner {
  private static final int EFA_NODES = 3;
  private static final ImmutableMap<String, String> NOTES = ImmutableMap.of(
      // aws-ofi-nccl 2daf7d303a, src/tuner: regions by bytes and ranks, for three nodes and more.
      "efa", "aws-ofi-nccl's tuner chooses by tables of its own from 3 nodes on;"
          + " NCCL_TUNER_PLUGIN=none gives this choice",
      // Google's published launch settings of A3 Mega and A3 High.
      "fastrak", "Google's tuner file for A3 Mega chooses by tables of its own; without it NCCL chooses as here",
      "tcpx", "Google's settings for A3 High fix NCCL_ALGO=Ring and NCCL_PROTO=Simple; give them by --env");

  private CloudTuner() {}

  /** Tells of the tuner of a machine's network, where NCCL's own choice does not stand and no variable fixes it. */
  static void tell(CommandContext context, Machine machine, CollectiveOp op) {
    if (CommunicatorTiming.tuned(op)) {
      note(machine.cluster(), machine.config()).ifPresent(note -> context.message("note: " + note));
    }
  }

  private static Optional<String> note(Cluster cluster, NcclConfig config) {
    boolean fixed = config.texts().containsKey("NCCL_ALGO") || config.texts().containsKey("NCCL_TUNER_PLUGIN");
    if (cluster.nodes() == 1 || fixed) {
      return Optional.empty();
    }
    Optional<String> network = Arrays.stream(cluster.terminals(DeviceKind.NIC))
        .mapToObj(nic -> cluster.networkLink(nic).network()).filter(id -> !id.isEmpty()).findFirst();
    return network.filter(id -> !id.equals("efa") || cluster.nodes() >= EFA_NODES)
        .flatMap(id -> Optional.ofNullable(NOTES.get(id)));
  }
}
