package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.network.NetworkException;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.QueuePolicy;
import dev.heddle.spi.Switch;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A fabric compiled to arrays of channels, queues and devices with buffers, besides those of every network.
 *
 * <p>Requesters of an output channel are numbered from 0: the
 * device's own injection, then its input channels in the order of their links. Queue numbers: virtual output queues
 * first, then one input queue per channel, then one output queue per channel.
 */
final class NetworkPlan extends CompiledFabric {
  /** The device only sends and receives. */
  static final byte TERMINAL = 0;

  static final byte INPUT = 1;
  static final byte OUTPUT = 2;
  static final byte VIRTUAL_OUTPUT = 3;

  // Links keep their number of channels in four bits, control packets have one of them.
  private static final int MOST_DATA_CHANNELS = 14;

  final int[] linkSource;
  final int[] channelsPerClass;
  /** The position of each link among those that end at its target. */
  final int[] arrival;
  /** Whether a transport protocol runs between terminals. */
  final boolean transports;
  /** Whether the fabric is of one tier, whose terminals are the ends of all connections. */
  final boolean oneTier;
  /** Whether a device ends connections of a transport protocol: a terminal, or a NIC between tiers. */
  final boolean[] endpoint;
  /** Whether a transport protocol runs over each link, and its source manages the queue. */
  final boolean[] managed;
  /** The most traffic classes that a switch has queues for; 1 where messages of all classes share one. */
  final int classes;
  /** Per device the weights of its traffic classes; null where it has none. */
  final int[] @Nullable [] weights;
  /** Per channel whether the switch at its end pauses it. */
  final boolean[] pausable;
  /** Whether any link loses units that its ends send again. */
  final boolean loses;
  private final boolean lossy;

  final int[] channelLink;
  final int[] capacityBytes;
  final int[] capacityHeaders;
  final int[] granule;
  final boolean[] wholePacket;
  final long[] returnPs;
  final int[] requester;

  final byte[] buffering;
  final byte[] arbitration;
  final int[] outputBuffer;
  final int[] requesters;
  final int[] firstInput;
  final int[] inputChannels;

  final int[] requestWord;
  final int[] requestWords;
  final int requestWordCount;
  final int[] firstVirtualQueue;
  final int firstInputQueue;
  final int firstOutputQueue;
  final int queues;

  /**
   * Compiles a fabric.
   *
   * @param fabric the cluster
   * @param burstBytes the most payload of a burst of packets; 0: single packets
   * @param transports whether a transport protocol runs between terminals, which gives links a channel for its control
   *     packets
   */
  NetworkPlan(Fabric fabric, int burstBytes, boolean transports) {
    super(fabric, burstBytes, (link, model) -> transports ? channelsOfTransport(fabric, link, model) : 0,
        Events.MAX_TARGETS / TierPlan.MAX_VIRTUAL_CHANNELS);
    this.transports = transports;
    oneTier = fabric.tiers().size() == 1;
    classes = transports ? IntStream.range(0, devices).map(device -> classes(fabric, device)).max().orElse(1) : 1;
    linkSource = new int[links];
    channelsPerClass = new int[links];
    arrival = new int[links];
    managed = new boolean[links];
    readLinks();
    lossy = Arrays.stream(specs).anyMatch(model -> model.loss() > 0);
    loses = !transports && lossy;
    buffering = new byte[devices];
    arbitration = new byte[devices];
    outputBuffer = new int[devices];
    endpoint = new boolean[devices];
    int[] inputBuffer = new int[devices];
    readDevices(inputBuffer);
    channelLink = new int[channels];
    capacityBytes = new int[channels];
    capacityHeaders = new int[channels];
    granule = new int[channels];
    wholePacket = new boolean[channels];
    returnPs = new long[channels];
    requester = new int[channels];
    requesters = new int[devices];
    readChannels(inputBuffer);
    firstInput = new int[devices];
    inputChannels = new int[numberInputs()];
    for (int channel = 0; channel < channels; channel++) {
      inputChannels[firstInput[linkTarget[channelLink[channel]]] + requester[channel] - 1] = channel;
    }
    weights = new int[devices][];
    pausable = new boolean[channels];
    if (transports) {
      readPolicies();
    }
    requestWord = new int[channels];
    requestWords = new int[channels];
    firstVirtualQueue = new int[channels];
    requestWordCount = numberRequests();
    firstInputQueue = numberVirtualQueues();
    firstOutputQueue = firstInputQueue + channels;
    queues = firstInputQueue + 2 * channels;
  }

  /** The traffic classes that have queues of their own at the outputs of a device; at least 1. */
  static int classes(Fabric fabric, int device) {
    Switch model = fabric.bridges(device) ? null : fabric.forwarding(device);
    return model == null ? 1 : Math.max(1, model.queuePolicy().weights().size());
  }

  // A link has a set of channels for each class that the switch at either end knows, and one for control packets.
  private static int channelsOfTransport(Fabric fabric, int link, Link model) {
    if (!carriesTransport(fabric, link, model)) {
      return 0;
    }
    int classes = Math.max(classes(fabric, fabric.linkSource(link)), classes(fabric, fabric.linkTarget(link)));
    int own = model.credits().size();
    int data = classes == 1 ? own : Math.max(own, classes * Math.max(1, fabric.channelsPerClass(link)));
    if (data > MOST_DATA_CHANNELS) {
      throw new NetworkException(fabric.linkName(link) + " would need " + data + " virtual channels for " + classes
          + " traffic classes; at most " + MOST_DATA_CHANNELS + " are possible");
    }
    return data - own + 1;
  }

  private void readLinks() {
    int[] arrivals = new int[devices];
    for (int link = 0; link < links; link++) {
      linkSource[link] = fabric.linkSource(link);
      arrival[link] = arrivals[linkTarget[link]]++;
      managed[link] = transports && carriesTransport(fabric, link, specs[spec[link]]);
      channelsPerClass[link] = fabric.channelsPerClass(link);
    }
  }

  private void readDevices(int[] inputBuffer) {
    for (int device = 0; device < devices; device++) {
      Switch model = fabric.forwarding(device);
      endpoint[device] = model == null || fabric.bridges(device);
      if (model != null) {
        buffering[device] = (byte) (model.buffering().ordinal() + 1);
        arbitration[device] = (byte) model.arbitration().ordinal();
        outputBuffer[device] = model.outputBufferBytes() == 0 ? Credits.UNLIMITED : model.outputBufferBytes();
        inputBuffer[device] = model.inputBufferBytes();
      }
    }
  }

  private void readChannels(int[] inputBuffer) {
    Arrays.fill(requesters, 1);
    Credits control = Credits.unlimited();
    for (int link = 0; link < links; link++) {
      List<Credits> credits = specs[spec[link]].credits();
      int target = linkTarget[link];
      int data = channelCount[link] - (managed[link] ? 1 : 0);
      for (int v = 0; v < channelCount[link]; v++) {
        int channel = firstChannel[link] + v;
        Credits c = v < data ? credits.get(v % credits.size()) : control;
        channelLink[channel] = link;
        capacityBytes[channel] = inputBuffer[target] > 0 && c != control ? inputBuffer[target] : c.bufferBytes();
        capacityHeaders[channel] = c.headers();
        granule[channel] = c.granuleBytes();
        wholePacket[channel] = c.wholePacket();
        returnPs[channel] = c.returnPs();
        requester[channel] = requesters[target]++;
      }
    }
  }

  private void readPolicies() {
    QueuePolicy[] policies = new QueuePolicy[devices];
    for (int device = 0; device < devices; device++) {
      Switch model = fabric.bridges(device) ? null : fabric.forwarding(device);
      policies[device] = model == null ? QueuePolicy.UNLIMITED : model.queuePolicy();
      List<Integer> own = policies[device].weights();
      weights[device] = own.isEmpty() ? null : own.stream().mapToInt(Integer::intValue).toArray();
    }
    for (int channel = 0; channel < channels; channel++) {
      int link = channelLink[channel];
      int ofClass = (channel - firstChannel[link]) / Math.max(1, channelsPerClass[link]);
      pausable[channel] = policies[linkTarget[link]].pause()
          .map(pause -> pause.classes().isEmpty() || pause.classes().contains(ofClass)).orElse(false);
    }
  }

  private int numberInputs() {
    int inputs = 0;
    for (int device = 0; device < devices; device++) {
      firstInput[device] = inputs;
      inputs += requesters[device] - 1;
    }
    return inputs;
  }

  private int numberRequests() {
    int words = 0;
    for (int channel = 0; channel < channels; channel++) {
      requestWord[channel] = words;
      requestWords[channel] = (requesters[linkSource[channelLink[channel]]] + 63) / 64;
      words += requestWords[channel];
    }
    return words;
  }

  /** Whether a channel takes no credit. */
  boolean isUnlimited(int channel) {
    return capacityBytes[channel] == Credits.UNLIMITED && capacityHeaders[channel] == Credits.UNLIMITED;
  }

  /** Whether links lose units, or change while the network runs. */
  boolean mayLose() {
    return lossy || changedSpec.length > 0;
  }

  private int numberVirtualQueues() {
    int count = 0;
    for (int channel = 0; channel < channels; channel++) {
      int device = linkSource[channelLink[channel]];
      firstVirtualQueue[channel] = count;
      if (buffering[device] == VIRTUAL_OUTPUT && !managed[channelLink[channel]]) {
        count += requesters[device];
      }
    }
    return count;
  }
}
