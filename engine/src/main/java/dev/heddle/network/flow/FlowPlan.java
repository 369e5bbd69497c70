package dev.heddle.network.flow;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.network.RunOptions;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A fabric compiled to arrays, with the buses of memories and the buffers of receivers. */
final class FlowPlan extends CompiledFabric {
  private static final int SAMPLE = 1 << 20;

  // Wire time of a byte on the bus of a memory; 0 for other links.
  private final double[] memoryPsPerByte;

  /** The steady state of the transport protocol; null without one. */
  final @Nullable SteadyTransport steady;

  /** The rounds of the credits of links. */
  final CreditLoops credits;

  /** The traffic classes of links under a transport protocol; null where switches have none. */
  final @Nullable LinkClasses classes;

  /** Whether the controls of connections run on fluid queues, not in their steady state. */
  final boolean paced;

  /** Compiles a fabric; with {@code follows}, congestion controls that suit fluids are followed over time. */
  FlowPlan(Fabric fabric, int burstBytes, @Nullable TransportProtocol transport, boolean follows) {
    super(fabric, burstBytes, ExtraChannels.NONE, Events.MAX_TARGETS / 2);
    credits = new CreditLoops(this);
    steady = transport == null ? null : new SteadyTransport(this, transport);
    classes = transport != null && fabric.hasTrafficClasses() ? LinkClasses.of(this) : null;
    paced = follows && transport != null && transport.suitsFluid() && classes == null;
    memoryPsPerByte = Arrays.stream(specs).mapToDouble(FlowPlan::memoryPsPerByte).toArray();
  }

  /** Whether runs on a fabric with some options may share this, which has no state of a transport protocol. */
  boolean fits(Fabric other, RunOptions options) {
    return fabric == other && burstBytes() == options.burstBytes() && options.transport() == null && steady == null;
  }

  private static double memoryPsPerByte(Link model) {
    return model.medium() == Medium.MEMORY ? model.wirePs(SAMPLE, 0) / (double) SAMPLE : 0;
  }

  /** The virtual channel, of those of all links, that a message of a class takes where a route names a channel. */
  int channel(int chosen, int trafficClass) {
    int link = TierPlan.linkOf(chosen);
    return firstChannel[link]
        + TierPlan.virtualChannel(chosen, trafficClass, fabric.channelsPerClass(link), channelCount[link]);
  }

  /** Crossings of a link by a byte that takes so much wire time: one, except on the bus of a memory. */
  double crossings(int link, double psPerByte) {
    double once = memoryPsPerByte[spec[link]];
    return once == 0 ? 1 : psPerByte / once;
  }

  /** Whether a link is the bus of a memory. */
  boolean isMemory(int link) {
    return memoryPsPerByte[spec[link]] > 0;
  }

  /** The receiver's buffer of a virtual channel, in bytes: the link's, or that of the switch's own settings. */
  int buffer(int link) {
    return credits.buffer(link, 0);
  }

  /** As for bursts; single packets are gathered until they fill the packets of the outer tiers. */
  @Override
  public int bridgedLimit(int model, long bytes) {
    return sendsBursts() ? super.bridgedLimit(model, bytes) : Math.max(unitLimit[model], bridgeLimit);
  }
}
