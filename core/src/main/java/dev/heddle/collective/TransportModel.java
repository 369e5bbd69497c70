package dev.heddle.collective;

import com.google.common.base.Preconditions;

/**
 * The transport of a schedule's connections, and the time that thread blocks spend besides the network: a step's data
 * moves slice by slice, each slice a message, and a connection buffers a limited number of them between send and
 * receive.
 *
 * @param name of the transport in reports; empty for none
 * @param framePayload bytes of data in a frame, at least 1
 * @param frameBytes bytes of a frame on the wire, data and flags, at least {@code framePayload}
 * @param sliceBytes the largest payload of a message, at least 1
 * @param window messages that a connection within a node buffers between send and receive (connection window); 0 for
 * any number
 * @param pieceBytes of a slice within a node that depart as soon as a thread block has copied them, at least 1
 * @param costs of thread blocks
 * @param connections between nodes
 */
public record TransportModel(
    String name, int framePayload, int frameBytes, long sliceBytes, int window, long pieceBytes, Costs costs,
    Connections connections) {
  /** A transport with whole steps as messages, an unlimited connection window, and no cost besides the network's. */
  public static final TransportModel PLAIN = new TransportModel("", 1, 1, Long.MAX_VALUE, 0, Costs.NONE);

  // This many pieces approximate a copy bit by bit.
  private static final int MOST_PIECES = 8;

  /**
   * The time of thread blocks per slice, and the delay between a send and the departure.
   *
   * @param startPs before its first step, in picoseconds
   * @param slicePs per slice, in picoseconds
   * @param copyPsPerByte of data moved, in picoseconds
   * @param storePsPerByte of data that a step receives and does not send, in picoseconds
   * @param hopPs from the send of a slice to its departure, in picoseconds; the thread block continues meanwhile
   * @param networkHopPs the same for a peer in another node
   * @param networkPsPerByte minimum time per byte between slices of a connection to another node, in picoseconds;
   * others that share the copy engine continue meanwhile
   * @param portPsPerByte minimum time per byte between slices of a connection within a node, in picoseconds
   * @param proxyPs of the rank's proxy for each slice to another node, one after the other, in picoseconds
   */
  public record Costs(long startPs, long slicePs, double copyPsPerByte, double storePsPerByte, long hopPs,
      long networkHopPs, double networkPsPerByte, double portPsPerByte, long proxyPs) {
    /** Nothing. */
    public static final Costs NONE = new Costs(0, 0, 0, 0, 0);

    /** Costs with sends and stores that take no longer than the copy. */
    public Costs(long startPs, long slicePs, double copyPsPerByte, long hopPs, long networkHopPs) {
      this(startPs, slicePs, copyPsPerByte, copyPsPerByte, hopPs, networkHopPs, 0, 0, 0);
    }

    /** Checks that nothing is negative. */
    public Costs {
      boolean whole = startPs >= 0 && slicePs >= 0 && hopPs >= 0 && networkHopPs >= 0 && proxyPs >= 0;
      Preconditions.checkArgument(whole && copyPsPerByte >= 0 && storePsPerByte >= 0 && networkPsPerByte >= 0
          && portPsPerByte >= 0, "a thread block's costs are at least 0");
    }

    /** The time for which a slice occupies a thread block, in picoseconds. */
    public long workPs(long bytes) {
      return slicePs + Math.round(bytes * copyPsPerByte);
    }

    /** The time of a slice of a step without its fixed cost, for a slice that is coalesced with another. */
    public long movePs(long bytes, StepKind kind) {
      return Math.round(bytes * (kind.receives() && !kind.sends() ? storePsPerByte : copyPsPerByte));
    }

    /** The least time from a slice to the next of a connection to another node, or within one, in picoseconds. */
    public long pacePs(long bytes, boolean network) {
      return Math.round(bytes * (network ? networkPsPerByte : portPsPerByte));
    }
  }

  /**
   * The use of the network by a connection between nodes.
   *
   * @param paths number of flow labels over which messages rotate where paths are chosen by hash; 0: each message is
   * hashed by itself
   * @param splitsMessages whether each message is divided among all paths instead
   * @param adaptiveAbove bytes; larger messages are hashed by themselves
   * @param dataClass the traffic class of data between nodes, 0 to 7, or {@link MessageLabel#SAME_CLASS}
   * @param creditClass traffic class of messages by which a receiver grants buffer space
   * @param headers of packets beyond those that links count
   * @param buffers size of its buffer in multiples of the transport's window, as where each end has one; 0 for any
   * number of messages, which depart before the receiver has space
   */
  public record Connections(
      int paths, boolean splitsMessages, long adaptiveAbove, int dataClass, int creditClass, Headers headers,
      int buffers) {
    /** A path for every message, no class, one buffer. */
    public static final Connections PLAIN =
        new Connections(0, false, Long.MAX_VALUE, MessageLabel.SAME_CLASS, MessageLabel.SAME_CLASS, Headers.PLAIN, 1);

    /** Checks the ranges. */
    public Connections {
      Preconditions.checkArgument(paths >= (splitsMessages ? 1 : 0) && adaptiveAbove >= 0 && buffers >= 0,
          "no connection takes %s routes, divided: %s, and others above %s bytes, with %s buffers", paths,
          splitsMessages, adaptiveAbove, buffers);
    }

    /** The number of parts into which a message is divided. */
    public int parts() {
      return splitsMessages ? paths : 1;
    }
  }

  /**
   * The headers of packets between nodes.
   *
   * @param packetBytes the largest payload of a packet, at least 1
   * @param extraBytes of each packet beyond what the links count, at least 0
   * @param spreads whether switches hash connections between the same two ranks separately, and so their paths
   */
  public record Headers(int packetBytes, int extraBytes, boolean spreads) {
    /** As the links count them. */
    public static final Headers PLAIN = new Headers(1, 0, true);

    /** Checks the ranges. */
    public Headers {
      Preconditions.checkArgument(packetBytes >= 1 && extraBytes >= 0,
          "no packet of %s bytes has %s bytes of headers besides", packetBytes, extraBytes);
    }

    /** The bytes of a message on the wire, with these headers. */
    public long wireBytes(long bytes) {
      return extraBytes == 0 ? bytes : bytes + Math.max(1, (bytes + packetBytes - 1) / packetBytes) * extraBytes;
    }
  }

  /** A transport whose slices depart when they are copied, and whose messages are hashed one by one. */
  public TransportModel(String name, int linePayload, int lineBytes, long sliceBytes, int window, Costs costs) {
    this(name, linePayload, lineBytes, sliceBytes, window, Long.MAX_VALUE, costs, Connections.PLAIN);
  }

  /** The same transport with a different use of the network. */
  public TransportModel with(Connections other) {
    return new TransportModel(name, framePayload, frameBytes, sliceBytes, window, pieceBytes, costs, other);
  }

  /** The same transport whose slices depart within a node piece by piece, as a thread block copies them. */
  public TransportModel inPieces(long bytes) {
    return new TransportModel(name, framePayload, frameBytes, sliceBytes, window, bytes, costs, connections);
  }

  /** Checks the ranges. */
  public TransportModel {
    if (framePayload < 1 || frameBytes < framePayload || sliceBytes < 1 || window < 0 || pieceBytes < 1) {
      throw new IllegalArgumentException("no protocol sends " + framePayload + " of " + frameBytes
          + " bytes in slices of " + sliceBytes + " and pieces of " + pieceBytes + " with a window of " + window);
    }
  }

  /** The same at no cost of thread blocks, as for a switch. */
  public TransportModel withoutCosts() {
    return new TransportModel(name, framePayload, frameBytes, sliceBytes, window, pieceBytes, Costs.NONE, connections);
  }

  /** The messages that carry some data; at least 1. */
  public long slices(long bytes) {
    return bytes <= sliceBytes ? 1 : (bytes - 1) / sliceBytes + 1;
  }

  /** The messages of a slice within a node; at least 1. */
  public int pieces(long bytes) {
    return bytes <= pieceBytes ? 1 : (int) Math.min(MOST_PIECES, (bytes - 1) / pieceBytes + 1);
  }

  /** The bytes that some data takes on the wire. */
  public long wireBytes(long bytes) {
    return framePayload == frameBytes ? bytes
        : Math.multiplyExact((bytes + framePayload - 1) / framePayload, frameBytes);
  }
}
