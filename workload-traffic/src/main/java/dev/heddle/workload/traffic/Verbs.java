package dev.heddle.workload.traffic;

import dev.heddle.workload.Operation;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Measure;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;

/**
 * The common part of the streams of one side of a microbenchmark, its host's and its adapter's.
 *
 * <p>An adapter that transmits a message handles its work request, reads the payload from host memory in pieces of the
 * read request size, and sends a network packet as soon as its pieces have arrived; an adapter that receives writes
 * each packet to host memory. In a bandwidth test the receiver acknowledges each message, and the sender's adapter then
 * writes a completion.
 */
class Verbs {
  /** A stream of operations. */
  interface Stream {
    boolean next(Operation operation);
  }

  // Tags of messages.
  static final int DOORBELL = 0;
  static final int PIECE = 1;
  static final int DATA = 2;
  static final int COMPLETION = 3;
  static final int READ = 4;
  static final int ACKNOWLEDGE = 5;
  static final int PACKET = 16;
  static final int MEMORY_READ = 1024;

  // Signals of an adapter.
  static final int PIECES_READ = 0;
  static final int INLINE_READY = 1;
  static final int MESSAGES_IN = 2;

  // PCIe traffic classes.
  static final int POSTED = 0;
  static final int NON_POSTED = 1;
  static final int READ_COMPLETION = 2;

  // Number of packets that a receiver handles concurrently.
  static final int RECEIVE_LANES = 8;

  final Settings settings;
  final Hca hca;
  final int mtu;
  final int side;
  final long[] own;
  final long[] others;
  final boolean bandwidth;
  final boolean read;

  Verbs(Settings settings, int mtu, int side) {
    this.settings = settings;
    this.hca = settings.hca();
    this.mtu = mtu;
    this.side = side;
    own = Microbenchmark.transmitted(settings, side);
    others = Microbenchmark.transmitted(settings, 1 - side);
    bandwidth = settings.measure() == Measure.BANDWIDTH;
    read = settings.test() == Test.IB_READ;
  }

  int host() {
    return 2 * side;
  }

  int adapterRank() {
    return 2 * side + 1;
  }

  int peerAdapter() {
    return 2 * (1 - side) + 1;
  }

  boolean inline(long bytes) {
    return !read && bytes <= hca.inline().bytes();
  }

  boolean hasCompletions() {
    return settings.test() != Test.IB_WRITE;
  }

  int packets(long bytes) {
    return (int) Math.max(1, (bytes + mtu - 1) / mtu);
  }

  long doorbellBytes(long bytes) {
    return hca.workRequest().bytes() + (inline(bytes) ? bytes : 0);
  }

  /** Iterator over the pieces of all messages that this side transmits from memory, iteration by iteration. */
  final class Pieces {
    private int iteration;
    private int index = -1;
    private long left;
    private long leftInPacket;
    int packetPieces;

    /** Moves to the next message; false if there is none. */
    boolean nextMessage() {
      index++;
      if (index >= own.length) {
        index = 0;
        iteration++;
      }
      leftInPacket = 0;
      if (own.length == 0 || iteration >= settings.iterations()) {
        left = 0;
        return false;
      }
      left = own[index];
      return true;
    }

    /** Whether the current message is the last. */
    boolean onLastMessage() {
      return iteration == settings.iterations() - 1 && index == own.length - 1;
    }

    long message() {
      return own[index];
    }

    /** The size of the next packet of the message; 0 after the last. */
    int nextPacket() {
      int packet = (int) Math.min(left, mtu);
      left -= packet;
      leftInPacket = packet;
      packetPieces = (int) ((packet + hca.readRequest().bytes() - 1) / hca.readRequest().bytes());
      return packet;
    }

    /** The size of the next piece of the packet; 0 after the last. */
    int nextPiece() {
      int piece = (int) Math.min(leftInPacket, hca.readRequest().bytes());
      leftInPacket -= piece;
      return piece;
    }
  }

  /** A stream that repeatedly waits for a message, works on it for a time, and sends another. */
  abstract static class Relay implements Stream {
    private int step;

    /** Moves to the next round; false if there is none. */
    abstract boolean advance();

    abstract void await(Operation operation);

    abstract long workPs();

    abstract void send(Operation operation);

    @Override
    public final boolean next(Operation operation) {
      switch (step) {
        case 0 :
          if (!advance()) {
            return false;
          }
          step = 1;
          await(operation);
          return true;
        case 1 :
          step = 2;
          operation.compute(workPs());
          return true;
        default :
          step = 0;
          send(operation);
          return true;
      }
    }
  }
}
