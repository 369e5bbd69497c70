package dev.heddle.network;

import dev.heddle.fabric.Fabric;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A fabric compiled to arrays, as the event loop of a network reads them: links by their number, the models of links by
 * the number of the model (links of equal model share it), devices by their number. A channel is one virtual channel of
 * a directed link; channels are numbered link by link, in the order of the links' sources.
 */
public abstract class CompiledFabric {
  /** The most packets of a burst. */
  public static final int MOST_PACKETS = (1 << 13) - 1;

  /** Switching of a device that forwards a burst with its head; an ordinal of {@link Switch.Switching}. */
  public static final byte CUT_THROUGH = 0;
  /** Switching of a device that forwards a burst when its first packet is whole. */
  public static final byte STORE_AND_FORWARD = 1;
  /** Switching of a device that forwards a burst when all of it has arrived. */
  public static final byte WHOLE_UNIT = 2;

  /** The fabric. */
  public final Fabric fabric;
  /** The number of devices. */
  public final int devices;
  /** The number of directed links. */
  public final int links;
  /** The number of virtual channels of all links. */
  public final int channels;
  /** The links in the order of their sources, those of one source by their number. */
  public final int[] bySource;
  /** The place of each link in that order. */
  public final int[] place;
  /** The device at which each link ends. */
  public final int[] linkTarget;
  /** The latency of each link, in picoseconds. */
  public final long[] latencyPs;
  /** The number of each link's model. */
  public final int[] spec;
  /** The models of links, those of later states of the fabric included. */
  public final Link[] specs;
  /** By change of the fabric, the number of each link's model. */
  public final int[][] changedSpec;
  /** The first channel of each link. */
  public final int[] firstChannel;
  /** The number of channels of each link. */
  public final int[] channelCount;
  /** The latency of each device that forwards, in picoseconds. */
  public final long[] forwardPs;
  /** The switching of each device that forwards. */
  public final byte[] switching;
  /** The most payload of a burst of a message within one tier, by link model. */
  public final int[] unitLimit;

  /** The most payload of a burst that fills whole packets of every link between nodes. */
  protected final int bridgeLimit;
  private final int burstBytes;

  /**
   * Compiles a fabric.
   *
   * @param burstBytes the most payload of a burst of packets; 0: single packets
   * @param extraChannels channels of a link beyond those of its model
   * @param mostLinks exclusive
   * @throws IllegalArgumentException when events cannot name that many links or devices
   */
  protected CompiledFabric(Fabric fabric, int burstBytes, ExtraChannels extraChannels, int mostLinks) {
    this.fabric = fabric;
    this.burstBytes = burstBytes;
    devices = fabric.devices();
    links = fabric.links();
    if (links >= mostLinks || devices >= 1 << 24) {
      throw new IllegalArgumentException(
          "a network has fewer than 2^24 devices and " + mostLinks + " links: " + fabric);
    }
    bySource = bySource(fabric);
    place = new int[links];
    linkTarget = new int[links];
    latencyPs = new long[links];
    spec = new int[links];
    firstChannel = new int[links];
    channelCount = new int[links];
    Map<Link, Integer> numbers = new IdentityHashMap<>();
    List<Link> models = new ArrayList<>();
    for (int link = 0; link < links; link++) {
      Link model = fabric.linkModel(link);
      spec[link] = number(model, numbers, models);
      linkTarget[link] = fabric.linkTarget(link);
      latencyPs[link] = model.latencyPs();
      channelCount[link] = model.credits().size() + extraChannels.of(link, model);
    }
    channels = numberChannels();
    changedSpec = new int[fabric.changes().size()][links];
    for (int change = 0; change < changedSpec.length; change++) {
      Fabric later = fabric.changes().get(change).fabric();
      Arrays.setAll(changedSpec[change], link -> number(later.linkModel(link), numbers, models));
    }
    specs = models.toArray(new Link[0]);
    unitLimit = Arrays.stream(specs).mapToInt(this::limit).toArray();
    bridgeLimit = bridgeLimit();
    forwardPs = new long[devices];
    switching = new byte[devices];
    for (int device = 0; device < devices; device++) {
      Switch model = fabric.forwarding(device);
      if (model != null) {
        forwardPs[device] = model.latencyPs();
        switching[device] = (byte) model.switching().ordinal();
      }
    }
  }

  private static int[] bySource(Fabric fabric) {
    long[] sourceAndLink = new long[fabric.links()];
    Arrays.setAll(sourceAndLink, link -> (long) fabric.linkSource(link) << 32 | link);
    Arrays.sort(sourceAndLink);
    return Arrays.stream(sourceAndLink).mapToInt(each -> (int) each).toArray();
  }

  private int numberChannels() {
    int count = 0;
    for (int at = 0; at < links; at++) {
      int link = bySource[at];
      place[link] = at;
      firstChannel[link] = count;
      count += channelCount[link];
    }
    return count;
  }

  private static int number(Link model, Map<Link, Integer> numbers, List<Link> models) {
    Integer known = numbers.get(model);
    if (known != null) {
      return known;
    }
    int number = models.size();
    numbers.put(model, number);
    models.add(model);
    return number;
  }

  /** The number of channels of a link beyond those of its model. */
  @FunctionalInterface
  protected interface ExtraChannels {
    /** No link has any. */
    ExtraChannels NONE = (link, model) -> 0;

    /** The channels of a link beyond those of its model. */
    int of(int link, Link model);
  }

  private int limit(Link model) {
    int packets = Math.max(1, Math.min(burstBytes / model.maxPayloadBytes(), MOST_PACKETS));
    return model.maxPayloadBytes() * packets;
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

  /** Whether a transport protocol, where there is one, runs over a link: over those between nodes, or of one tier. */
  public static boolean carriesTransport(Fabric fabric, int link, Link model) {
    return (fabric.tiers().size() == 1 || fabric.linkTier(link) > 0) && !model.halfDuplex();
  }

  /** Whether a transport protocol, where there is one, carries the messages from a terminal to another. */
  public final boolean connects(int source, int destination) {
    return source != destination && (fabric.tiers().size() == 1 || !fabric.sameNode(source, destination));
  }

  /** Whether packets travel in bursts. */
  public final boolean sendsBursts() {
    return burstBytes > 0;
  }

  /** The most payload of a burst of packets; 0: single packets. */
  public final int burstBytes() {
    return burstBytes;
  }

  /**
   * The most payload of a burst of a message that leaves its node: bursts fill whole packets of the outer tiers; single
   * packets are those of the link.
   *
   * @param model of the first link
   */
  public int bridgedLimit(int model, long bytes) {
    int own = unitLimit[model];
    if (burstBytes == 0) {
      return own;
    }
    return bytes <= Math.min(burstBytes, own) ? Math.max(1, (int) bytes) : Math.min(own, bridgeLimit);
  }
}
