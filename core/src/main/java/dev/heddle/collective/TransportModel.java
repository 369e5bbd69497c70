package dev.heddle.collective;

/**
 * How the connections of a schedule carry data, and what a thread block needs besides the network: a step's data goes
 * slice by slice, each slice a message, and a connection holds so many of them between send and receive.
 *
 * @param name such as {@code LL128}; empty for none
 * @param linePayload bytes of data in a line, at least 1
 * @param lineBytes bytes of a line on the wire, at least {@code linePayload}: data and flags (NCCL's LL: 8 of 16)
 * @param sliceBytes the most data of a message, at least 1
 * @param window messages that a connection within a node holds between send and receive; 0 for any number
 * @param pieceBytes of a slice within a node that leave as soon as a thread block has copied them, at least 1
 * @param costs of thread blocks
 * @param connections between nodes
 */
public record TransportModel(
    String name, int linePayload, int lineBytes, long sliceBytes, int window, long pieceBytes, Costs costs,
    Connections connections) {
  /** Whole steps as messages, any number under way, at no cost besides the network's. */
  public static final TransportModel PLAIN = new TransportModel("", 1, 1, Long.MAX_VALUE, 0, Costs.NONE);

  // So many leave as if all were copied bit by bit.
  private static final int MOST_PIECES = 8;

  /**
   * What a thread block spends on its slices, and how much later than sent they leave.
   *
   * @param startPs before its first step, in picoseconds
   * @param slicePs per slice, in picoseconds
   * @param copyPsPerByte of data moved, in picoseconds
   * @param hopPs from a slice's being sent to its leaving, in picoseconds; the thread block goes on meanwhile
   * @param networkHopPs the same where the peer lies in another node
   * @param networkPsPerByte that a connection to another node takes at least from slice to slice, in picoseconds; whoever
   *     else shares what copies goes on meanwhile
   */
  public record Costs(
      long startPs, long slicePs, double copyPsPerByte, long hopPs, long networkHopPs, double networkPsPerByte) {
    /** Nothing. */
    public static final Costs NONE = new Costs(0, 0, 0, 0, 0);

    /** Where a connection to another node takes no longer than copying. */
    public Costs(long startPs, long slicePs, double copyPsPerByte, long hopPs, long networkHopPs) {
      this(startPs, slicePs, copyPsPerByte, hopPs, networkHopPs, 0);
    }

    /** Checks that nothing is negative. */
    public Costs {
      if (startPs < 0 || slicePs < 0 || !(copyPsPerByte >= 0) || hopPs < 0 || networkHopPs < 0
          || !(networkPsPerByte >= 0)) {
        throw new IllegalArgumentException("a thread block's costs are at least 0: " + startPs + ", " + slicePs + ", "
            + copyPsPerByte + ", " + hopPs + ", " + networkHopPs + ", " + networkPsPerByte);
      }
    }

    /** The time for which a slice occupies a thread block, in picoseconds. */
    public long workPs(long bytes) {
      return slicePs + movePs(bytes);
    }

    /** The same without what the slice itself costs: where it goes with another. */
    public long movePs(long bytes) {
      return Math.round(bytes * copyPsPerByte);
    }

    /** The least time from a slice to the next of a connection to another node, in picoseconds. */
    public long networkPs(long bytes) {
      return Math.round(bytes * networkPsPerByte);
    }
  }

  /**
   * How a connection between nodes uses the network.
   *
   * @param routes that its messages take in turn where routes are chosen by hash, as queue pairs do; 0: each message takes
   *     a route of its own
   * @param divides whether each message is divided among all routes instead
   * @param adaptiveAbove bytes; larger messages take routes of their own
   * @param dataClass the traffic class of data between nodes, 0 to 7, or {@link MessageLabel#SAME_CLASS}
   * @param readyClass that of messages by which a receiver makes room
   * @param headers what packets have besides what links count
   * @param buffers how many times the protocol's window it holds, as where each end has a buffer; 0 for any number of
   *     messages, where they leave before the receiver has room
   */
  public record Connections(
      int routes, boolean divides, long adaptiveAbove, int dataClass, int readyClass, Headers headers, int buffers) {
    /** A route for every message, no class, one buffer. */
    public static final Connections PLAIN =
        new Connections(0, false, Long.MAX_VALUE, MessageLabel.SAME_CLASS, MessageLabel.SAME_CLASS, Headers.PLAIN, 1);

    /** Checks the ranges. */
    public Connections {
      if (routes < 0 || divides && routes == 0 || adaptiveAbove < 0 || buffers < 0) {
        throw new IllegalArgumentException("no connection takes " + routes + " routes, divided: " + divides
            + ", and others above " + adaptiveAbove + " bytes, with " + buffers + " buffers");
      }
    }

    /** Into how many parts a message is divided. */
    public int parts() {
      return divides ? routes : 1;
    }
  }

  /**
   * The headers of packets between nodes.
   *
   * @param packetBytes the largest payload of a packet, at least 1
   * @param extraBytes of each packet beyond what the links count, at least 0
   * @param spreads whether switches tell connections between the same two ranks apart, and so their routes
   */
  public record Headers(int packetBytes, int extraBytes, boolean spreads) {
    /** As the links count them. */
    public static final Headers PLAIN = new Headers(1, 0, true);

    /** Checks the ranges. */
    public Headers {
      if (packetBytes < 1 || extraBytes < 0) {
        throw new IllegalArgumentException(
            "no packet of " + packetBytes + " bytes has " + extraBytes + " bytes of headers besides");
      }
    }

    /** What a message takes with them. */
    public long wireBytes(long bytes) {
      return extraBytes == 0 ? bytes : bytes + Math.max(1, (bytes + packetBytes - 1) / packetBytes) * extraBytes;
    }
  }

  /** A protocol whose slices leave when they are copied, and whose messages take a route each. */
  public TransportModel(String name, int linePayload, int lineBytes, long sliceBytes, int window, Costs costs) {
    this(name, linePayload, lineBytes, sliceBytes, window, Long.MAX_VALUE, costs, Connections.PLAIN);
  }

  /** The same whose connections use the network otherwise. */
  public TransportModel with(Connections other) {
    return new TransportModel(name, linePayload, lineBytes, sliceBytes, window, pieceBytes, costs, other);
  }

  /** The same whose slices leave within a node piece by piece, as a thread block copies them. */
  public TransportModel inPieces(long bytes) {
    return new TransportModel(name, linePayload, lineBytes, sliceBytes, window, bytes, costs, connections);
  }

  /** Checks the ranges. */
  public TransportModel {
    if (linePayload < 1 || lineBytes < linePayload || sliceBytes < 1 || window < 0 || pieceBytes < 1) {
      throw new IllegalArgumentException("no protocol sends " + linePayload + " of " + lineBytes
          + " bytes in slices of " + sliceBytes + " and pieces of " + pieceBytes + " with a window of " + window);
    }
  }

  /** A protocol of another name that is otherwise plain. */
  public static TransportModel named(String name) {
    return new TransportModel(name, 1, 1, Long.MAX_VALUE, 0, Costs.NONE);
  }

  /** The same at no cost of thread blocks, as for a switch. */
  public TransportModel withoutCosts() {
    return new TransportModel(name, linePayload, lineBytes, sliceBytes, window, pieceBytes, Costs.NONE, connections);
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
    return linePayload == lineBytes ? bytes : Math.multiplyExact((bytes + linePayload - 1) / linePayload, lineBytes);
  }
}
