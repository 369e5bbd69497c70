package dev.heddle.network.flow;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Switch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** A fabric compiled to arrays: what the hot path reads of links and devices. */
final class FlowPlan {
  /** A unit may leave with its head. */
  static final byte CUT_THROUGH = (byte) Switch.Switching.CUT_THROUGH.ordinal();

  /** A unit may leave when its first packet is whole. */
  static final byte STORE_AND_FORWARD = (byte) Switch.Switching.STORE_AND_FORWARD.ordinal();

  // The largest unit: as many packets as fit a packet network's unit.
  private static final int MAX_PACKETS = (1 << 13) - 1;

  private static final int SAMPLE = 1 << 20;

  final Fabric fabric;
  final int devices;
  final int links;
  final int[] linkTarget;
  final long[] latencyPs;
  final int[] spec;
  final Link[] specs;
  final int[] firstChannel;
  final int[] channelCount;
  final int channels;
  final long[] forwardPs;
  final byte[] switching;
  private final int[] unitLimit;
  private final int[] buffer;
  // Wire time of a byte on the bus of a memory; 0 for other links.
  private final double[] memoryPsPerByte;
  private final int bridgeLimit;
  private final int train;

  FlowPlan(Fabric fabric, int trainBytes) {
    this.fabric = fabric;
    train = trainBytes;
    devices = fabric.devices();
    links = fabric.links();
    if (links >= Events.MAX_TARGETS / 2 || devices >= 1 << 24) {
      throw new IllegalArgumentException("the flow network holds at most 2^24 devices and 2^27 links: " + fabric);
    }
    linkTarget = new int[links];
    latencyPs = new long[links];
    spec = new int[links];
    firstChannel = new int[links];
    channelCount = new int[links];
    Map<Link, Integer> numbers = new IdentityHashMap<>();
    List<Link> models = new ArrayList<>();
    int count = 0;
    for (int link = 0; link < links; link++) {
      Link model = fabric.linkModel(link);
      Integer number = numbers.get(model);
      if (number == null) {
        number = models.size();
        numbers.put(model, number);
        models.add(model);
      }
      spec[link] = number;
      linkTarget[link] = fabric.linkTarget(link);
      latencyPs[link] = model.latencyPs();
      firstChannel[link] = count;
      channelCount[link] = model.credits().size();
      count += channelCount[link];
    }
    channels = count;
    specs = models.toArray(new Link[0]);
    memoryPsPerByte = Arrays.stream(specs).mapToDouble(FlowPlan::memoryPsPerByte).toArray();
    unitLimit = new int[specs.length];
    Arrays.setAll(unitLimit, i -> limit(specs[i]));
    buffer = Arrays.stream(specs).mapToInt(model -> model.credits().get(0).bufferBytes()).toArray();
    bridgeLimit = bridgeLimit();
    forwardPs = new long[devices];
    switching = new byte[devices];
    readDevices();
  }

  private static double memoryPsPerByte(Link model) {
    return model.medium() == Medium.MEMORY ? model.wirePs(SAMPLE, 0) / (double) SAMPLE : 0;
  }

  /** How often a byte that takes so much wire time crosses a link: once, but for the bus of a memory. */
  double crossings(int link, double psPerByte) {
    double once = memoryPsPerByte[spec[link]];
    return once == 0 ? 1 : psPerByte / once;
  }

  /** Whether a link is the bus of a memory. */
  boolean isMemory(int link) {
    return memoryPsPerByte[spec[link]] > 0;
  }

  /** What a receiver holds of a virtual channel's data, in bytes. */
  int buffer(int link) {
    return buffer[spec[link]];
  }

  private int limit(Link model) {
    int packets = Math.max(1, Math.min(train / model.maxPayloadBytes(), MAX_PACKETS));
    return model.maxPayloadBytes() * packets;
  }

  private void readDevices() {
    for (int device = 0; device < devices; device++) {
      Switch model = fabric.forwarding(device);
      if (model != null) {
        forwardPs[device] = model.latencyPs();
        switching[device] = (byte) model.switching().ordinal();
      }
    }
  }

  private int bridgeLimit() {
    int least = Integer.MAX_VALUE;
    for (int link = 0; link < links; link++) {
      if (fabric.linkTier(link) > 0) {
        least = Math.min(least, unitLimit[spec[link]]);
      }
    }
    return least;
  }

  /** The most payload of a unit of a message within one tier. */
  int unitLimit(int link) {
    return unitLimit[spec[link]];
  }

  /**
   * The most payload of a unit of a message that leaves its node: trains fill whole packets of the outer tiers, and
   * single packets are gathered until they do.
   */
  int bridgedLimit(int link, long bytes) {
    int own = unitLimit(link);
    if (train == 0) {
      return Math.max(own, bridgeLimit);
    }
    return bytes <= Math.min(train, own) ? Math.max(1, (int) bytes) : Math.min(own, bridgeLimit);
  }
}
