package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Switch;
import dev.heddle.tier.TierPlan;
import java.util.Arrays;
import java.util.List;

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
  /** Whether any link loses units that its ends send again. */
  final boolean loses;

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
    super(fabric, burstBytes, (link, model) -> transports && carriesTransport(fabric, link, model) ? 1 : 0,
        Events.MAX_TARGETS / TierPlan.MAX_VIRTUAL_CHANNELS);
    this.transports = transports;
    oneTier = fabric.tiers().size() == 1;
    linkSource = new int[links];
    channelsPerClass = new int[links];
    arrival = new int[links];
    managed = new boolean[links];
    readLinks();
    loses = !transports && Arrays.stream(specs).anyMatch(model -> model.loss() > 0);
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
    requestWord = new int[channels];
    requestWords = new int[channels];
    firstVirtualQueue = new int[channels];
    requestWordCount = numberRequests();
    firstInputQueue = numberVirtualQueues();
    firstOutputQueue = firstInputQueue + channels;
    queues = firstInputQueue + 2 * channels;
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
      for (int v = 0; v < channelCount[link]; v++) {
        int channel = firstChannel[link] + v;
        Credits c = v < credits.size() ? credits.get(v) : control;
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
