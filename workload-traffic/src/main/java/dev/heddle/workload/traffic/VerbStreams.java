package dev.heddle.workload.traffic;

import dev.heddle.workload.Operation;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Measure;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;
import java.util.ArrayList;
import java.util.List;

/**
 * The streams of one side of a microbenchmark.
 *
 * <p>An adapter that transmits a message takes its work request, reads the payload from host memory in pieces of the
 * read request size, and sends a network packet as soon as its pieces have come; an adapter that receives writes each
 * packet to host memory. A bandwidth test's receiver acknowledges each message, and the sender's adapter then writes a
 * completion.
 */
final class VerbStreams {
  /** One stream: a cursor of operations. */
  interface Stream {
    boolean next(Operation operation);
  }

  // Tags of messages.
  private static final int DOORBELL = 0;
  private static final int PIECE = 1;
  private static final int DATA = 2;
  private static final int COMPLETION = 3;
  private static final int READ = 4;
  private static final int ACKNOWLEDGE = 5;
  private static final int PACKET = 16;
  private static final int MEMORY_READ = 1024;

  // Signals of an adapter.
  private static final int PIECES_READ = 0;
  private static final int INLINE_READY = 1;
  private static final int MESSAGES_IN = 2;

  // PCIe traffic classes.
  private static final int POSTED = 0;
  private static final int NON_POSTED = 1;
  private static final int READ_COMPLETION = 2;

  // Received packets are worked on side by side.
  private static final int RECEIVE_LANES = 8;

  private final Settings settings;
  private final Hca hca;
  private final int mtu;
  private final int side;
  private final long[] own;
  private final long[] others;
  private final boolean bandwidth;
  private final boolean read;

  VerbStreams(Settings settings, int mtu, int side) {
    this.settings = settings;
    this.hca = settings.hca();
    this.mtu = mtu;
    this.side = side;
    own = Microbenchmark.transmitted(settings, side);
    others = Microbenchmark.transmitted(settings, 1 - side);
    bandwidth = settings.measure() == Measure.BANDWIDTH;
    read = settings.test() == Test.IB_READ;
  }

  private int host() {
    return 2 * side;
  }

  private int adapterRank() {
    return 2 * side + 1;
  }

  private int peerAdapter() {
    return 2 * (1 - side) + 1;
  }

  private boolean inline(long bytes) {
    return !read && bytes <= hca.inline().bytes();
  }

  private boolean hasCompletions() {
    return settings.test() != Test.IB_WRITE;
  }

  /** The streams of the host: the program itself, and memory that answers the adapter's reads. */
  List<Stream> hostStreams() {
    List<Stream> streams = new ArrayList<>();
    if (read) {
      streams.add(side == 0 ? new ReadingProgram() : operation -> false);
    } else if (bandwidth) {
      streams.add(side == 0 ? new SendingProgram() : new ReceivingProgram());
    } else {
      streams.add(new PingPongProgram());
    }
    for (int tag = 0; tag < hca.reads(); tag++) {
      streams.add(new Memory(tag));
    }
    return streams;
  }

  /** The streams of the adapter. */
  List<Stream> adapterStreams() {
    List<Stream> streams = new ArrayList<>();
    if (read && side == 0) {
      streams.add(new ReadRequests());
    }
    streams.add(new Control());
    streams.add(new Transmit());
    for (int lane = 0; lane < RECEIVE_LANES; lane++) {
      streams.add(new Receive(lane));
    }
    if (bandwidth && !read) {
      streams.add(side == 0 ? new Completions() : new Acknowledgements());
    }
    return streams;
  }

  /** Walks the pieces of all messages that this side transmits by reading memory, iteration by iteration. */
  private final class Pieces {
    private int iteration;
    private int index = -1;
    private long left;
    private long leftInPacket;
    private int packetPieces;

    /** Moves to the next message; false when there is none. */
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

    /** Whether no message follows the present one. */
    boolean onLastMessage() {
      return iteration == settings.iterations() - 1 && index == own.length - 1;
    }

    long message() {
      return own[index];
    }

    /** The size of the next packet of the message; 0 when all have been given. */
    int nextPacket() {
      int packet = (int) Math.min(left, mtu);
      left -= packet;
      leftInPacket = packet;
      packetPieces = (int) ((packet + hca.readRequest().bytes() - 1) / hca.readRequest().bytes());
      return packet;
    }

    /** The size of the next piece of the packet, then 0. */
    int nextPiece() {
      int piece = (int) Math.min(leftInPacket, hca.readRequest().bytes());
      leftInPacket -= piece;
      return piece;
    }
  }

  /** Ping-pong: sends own messages and waits for the other side's, in turn; side 0 begins. */
  private final class PingPongProgram implements Stream {
    private final int turns = own.length + others.length;
    private int iteration;
    private int turn;
    private int step;
    private int packetsLeft;

    @Override
    public boolean next(Operation operation) {
      if (iteration >= settings.iterations()) {
        return false;
      }
      if (turn % 2 == side) {
        return send(operation, own[turn / 2]);
      }
      return await(operation, others[turn / 2]);
    }

    private boolean send(Operation operation, long bytes) {
      if (step == 0) {
        step = 1;
        operation.compute(hca.post().ps() + library(bytes));
      } else {
        operation.send(adapterRank(), doorbellBytes(bytes), DOORBELL, POSTED);
        advance();
      }
      return true;
    }

    private boolean await(Operation operation, long bytes) {
      if (step == 0) {
        packetsLeft = hasCompletions() ? 1 : packets(bytes);
        step = 1;
      }
      if (packetsLeft > 0) {
        packetsLeft--;
        operation.receive(adapterRank(), hasCompletions() ? COMPLETION : DATA);
      } else {
        operation.compute(hca.poll().ps() + library(bytes));
        advance();
      }
      return true;
    }

    private void advance() {
      step = 0;
      turn++;
      if (turn == turns) {
        turn = 0;
        iteration++;
      }
    }

    private long library(long bytes) {
      if (settings.test() != Test.OSU_LATENCY) {
        return 0;
      }
      long copy = Microbenchmark.rendezvous(settings) ? 0 : settings.mpi().copyRate().wirePs(bytes);
      return settings.mpi().overhead().ps() + copy;
    }
  }

  private int packets(long bytes) {
    return (int) Math.max(1, (bytes + mtu - 1) / mtu);
  }

  private long doorbellBytes(long bytes) {
    return hca.workRequest().bytes() + (inline(bytes) ? bytes : 0);
  }

  /** Bandwidth: posts messages, as many under way as the depth allows, and waits for all completions. */
  private final class SendingProgram implements Stream {
    private int posted;
    private int completed;
    private boolean built;

    @Override
    public boolean next(Operation operation) {
      if (posted < settings.iterations() && posted - completed < settings.depth()) {
        if (built) {
          operation.send(adapterRank(), doorbellBytes(settings.size().bytes()), DOORBELL, POSTED);
          posted++;
        } else {
          operation.compute(hca.post().ps());
        }
        built = !built;
        return true;
      }
      if (completed < posted) {
        completed++;
        operation.receive(adapterRank(), COMPLETION);
        return true;
      }
      return false;
    }
  }

  /** Bandwidth: takes in what comes. */
  private final class ReceivingProgram implements Stream {
    private long left = (long) settings.iterations() * (hasCompletions() ? 1 : packets(settings.size().bytes()));

    @Override
    public boolean next(Operation operation) {
      if (left == 0) {
        return false;
      }
      left--;
      operation.receive(adapterRank(), hasCompletions() ? COMPLETION : DATA);
      return true;
    }
  }

  /** RDMA reads: one at a time for latency, many for bandwidth. */
  private final class ReadingProgram implements Stream {
    private int posted;
    private int completed;
    private int step;

    @Override
    public boolean next(Operation operation) {
      int depth = bandwidth ? settings.depth() : 1;
      if (step == 2) {
        step = 0;
        operation.compute(hca.poll().ps());
        return true;
      }
      if (posted < settings.iterations() && posted - completed < depth) {
        if (step == 0) {
          step = 1;
          operation.compute(hca.post().ps());
        } else {
          step = 0;
          posted++;
          operation.send(adapterRank(), hca.workRequest().bytes(), DOORBELL, POSTED);
        }
        return true;
      }
      if (completed < posted) {
        completed++;
        step = bandwidth ? 0 : 2;
        operation.receive(adapterRank(), COMPLETION);
        return true;
      }
      return false;
    }
  }

  /** A stream that again and again waits for something, works on it for a time, and sends something on. */
  private abstract static class Relay implements Stream {
    private int step;

    /** Moves to the next round; false when there is none. */
    abstract boolean advance();

    abstract void await(Operation operation);

    abstract long workPs();

    abstract void send(Operation operation);

    @Override
    public final boolean next(Operation operation) {
      switch (step) {
        case 0:
          if (!advance()) {
            return false;
          }
          step = 1;
          await(operation);
          return true;
        case 1:
          step = 2;
          operation.compute(workPs());
          return true;
        default:
          step = 0;
          send(operation);
          return true;
      }
    }
  }

  /** Host memory: answers every {@code reads}-th read request of the adapter. */
  private final class Memory extends Relay {
    private final int tag;
    private final Pieces pieces = new Pieces();
    private long request = -1;
    private boolean inMessage;
    private int piece;

    Memory(int tag) {
      this.tag = tag;
    }

    @Override
    void await(Operation operation) {
      operation.receive(adapterRank(), MEMORY_READ + tag);
    }

    @Override
    long workPs() {
      return hca.memory().ps();
    }

    @Override
    void send(Operation operation) {
      operation.send(adapterRank(), piece, PIECE, READ_COMPLETION);
    }

    // Moves to the next piece of this tag.
    @Override
    boolean advance() {
      do {
        piece = inMessage ? pieces.nextPiece() : 0;
        while (piece == 0) {
          if (inMessage && pieces.nextPacket() > 0) {
            piece = pieces.nextPiece();
          } else {
            do {
              if (!pieces.nextMessage()) {
                return false;
              }
            } while (inline(pieces.message()));
            inMessage = true;
          }
        }
        request++;
      } while (request % hca.reads() != tag);
      return true;
    }
  }

  /** The adapter's control: takes work requests, or remote reads, and reads memory. */
  private final class Control implements Stream {
    private final Pieces pieces = new Pieces();
    private int step;
    private long request;
    private long firstOfMessage;
    private int piece;
    private boolean everBusy;

    @Override
    public boolean next(Operation operation) {
      switch (step) {
        case 0:
          if (!pieces.nextMessage()) {
            return false;
          }
          step = 1;
          operation.receive(read ? peerAdapter() : host(), read ? READ : DOORBELL);
          return true;
        case 1:
          step = inline(pieces.message()) ? 2 : 3;
          firstOfMessage = request;
          operation.compute(read ? hca.receive().ps() : hca.process().ps());
          return true;
        case 2:
          step = 5;
          operation.signal(INLINE_READY);
          return true;
        case 3:
          return window(operation);
        case 4:
          step = 3;
          operation.send(host(), 0, MEMORY_READ + (int) (request++ % hca.reads()), NON_POSTED);
          return true;
        default:
          if (pieces.onLastMessage()) {
            return false;
          }
          step = 0;
          operation.compute(
              Math.max(
                  0, read ? hca.readGap().ps() - hca.receive().ps() : hca.gap().ps() - hca.process().ps()));
          return true;
      }
    }

    // Waits until the next read may be issued.
    private boolean window(Operation operation) {
      piece = pieces.nextPiece();
      if (piece == 0 && pieces.nextPacket() > 0) {
        piece = pieces.nextPiece();
      }
      if (piece == 0) {
        step = 5;
        everBusy = true;
        return next(operation);
      }
      long done = request - hca.reads() + 1;
      boolean fromIdle = !bandwidth || !everBusy;
      if (fromIdle && request - firstOfMessage >= hca.initialReads()) {
        done = Math.max(done, firstOfMessage + hca.initialReads());
      }
      step = 4;
      operation.await(PIECES_READ, Math.max(0, done));
      return true;
    }
  }

  /** The adapter's transmitter: sends a packet as soon as all its pieces have come from memory. */
  private final class Transmit implements Stream {
    private final Pieces pieces = new Pieces();
    private long inlined;
    private int step;
    private int packet;
    private int waiting;
    private long packets;

    @Override
    public boolean next(Operation operation) {
      switch (step) {
        case 0:
          if (!pieces.nextMessage()) {
            return false;
          }
          step = 1;
          return next(operation);
        case 1:
          packet = pieces.nextPacket();
          if (packet == 0) {
            step = 0;
            return next(operation);
          }
          if (inline(pieces.message())) {
            step = 4;
            operation.await(INLINE_READY, ++inlined);
            return true;
          }
          waiting = pieces.packetPieces;
          step = 2;
          return next(operation);
        case 2:
          step = 3;
          operation.receive(host(), PIECE);
          return true;
        case 3:
          waiting--;
          step = waiting > 0 ? 2 : 4;
          operation.signal(PIECES_READ);
          return true;
        default:
          step = 1;
          operation.send(peerAdapter(), packet, PACKET + (int) (packets++ % RECEIVE_LANES), POSTED);
          return true;
      }
    }
  }

  /** The adapter's receiver: writes every {@code RECEIVE_LANES}-th packet to memory. */
  private final class Receive implements Stream {
    private final int lane;
    private long number = -1;
    private int iteration;
    private int index = -1;
    private long left;
    private int packet;
    private int step;

    Receive(int lane) {
      this.lane = lane;
    }

    @Override
    public boolean next(Operation operation) {
      switch (step) {
        case 0:
          if (!advance()) {
            return false;
          }
          step = 1;
          operation.receive(peerAdapter(), PACKET + lane);
          return true;
        case 1:
          step = 2;
          operation.compute(hca.receive().ps());
          return true;
        case 2:
          step = left > 0 ? 0 : 3;
          operation.send(host(), packet, hasCompletions() ? Operation.ONE_SIDED : DATA, POSTED);
          return true;
        case 3:
          return finish(operation);
        case 4:
          step = 5;
          operation.send(host(), hca.completionEntry().bytes(), COMPLETION, POSTED);
          return true;
        default:
          step = 0;
          operation.signal(MESSAGES_IN);
          return true;
      }
    }

    private boolean finish(Operation operation) {
      if (hasCompletions()) {
        step = 4;
        operation.compute(hca.completion().ps());
        return true;
      }
      step = 5;
      return next(operation);
    }

    private boolean advance() {
      do {
        if (left == 0) {
          index++;
          if (index >= others.length) {
            index = 0;
            iteration++;
          }
          if (others.length == 0 || iteration >= settings.iterations()) {
            return false;
          }
          left = others[index];
        }
        packet = (int) Math.min(left, mtu);
        left -= packet;
        number++;
      } while (number % RECEIVE_LANES != lane);
      return true;
    }
  }

  /** The reading adapter: passes read requests on, as many outstanding as the transport allows. */
  private final class ReadRequests implements Stream {
    private int sent;
    private int step;

    @Override
    public boolean next(Operation operation) {
      switch (step) {
        case 0:
          if (sent == settings.iterations()) {
            return false;
          }
          step = 1;
          operation.receive(host(), DOORBELL);
          return true;
        case 1:
          step = 2;
          operation.compute(hca.process().ps());
          return true;
        case 2:
          step = 3;
          operation.await(MESSAGES_IN, Math.max(0, sent - hca.rdmaReads() + 1));
          return true;
        case 3:
          step = 4;
          sent++;
          operation.send(peerAdapter(), 0, READ, POSTED);
          return true;
        default:
          if (sent == settings.iterations()) {
            return false;
          }
          step = 0;
          operation.compute(Math.max(0, hca.gap().ps() - hca.process().ps()));
          return true;
      }
    }
  }

  /** The receiving adapter: acknowledges each message, no faster than it takes messages in. */
  private final class Acknowledgements extends Relay {
    private int done;

    @Override
    boolean advance() {
      return done++ < settings.iterations();
    }

    @Override
    void await(Operation operation) {
      operation.await(MESSAGES_IN, done);
    }

    @Override
    long workPs() {
      return settings.test() == Test.IB_SEND ? hca.receiveGap().ps() : 0;
    }

    @Override
    void send(Operation operation) {
      operation.send(peerAdapter(), 0, ACKNOWLEDGE, POSTED);
    }
  }

  /** The sending adapter: writes a completion for each acknowledged message. */
  private final class Completions extends Relay {
    private int done;

    @Override
    boolean advance() {
      return done++ < settings.iterations();
    }

    @Override
    void await(Operation operation) {
      operation.receive(peerAdapter(), ACKNOWLEDGE);
    }

    @Override
    long workPs() {
      return hca.completion().ps();
    }

    @Override
    void send(Operation operation) {
      operation.send(host(), hca.completionEntry().bytes(), COMPLETION, POSTED);
    }
  }
}
