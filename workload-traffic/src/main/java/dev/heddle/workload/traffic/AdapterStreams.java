package dev.heddle.workload.traffic;

import dev.heddle.workload.Operation;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;
import java.util.ArrayList;
import java.util.List;

/** The streams of an adapter in a microbenchmark. */
final class AdapterStreams extends Verbs {
  AdapterStreams(Settings settings, int mtu, int side) {
    super(settings, mtu, side);
  }

  /** The streams of the adapter. */
  List<Stream> streams() {
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

  /** The adapter's control: handles work requests or remote reads, and reads memory. */
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
        case 0 :
          if (!pieces.nextMessage()) {
            return false;
          }
          step = 1;
          operation.receive(read ? peerAdapter() : host(), read ? READ : DOORBELL);
          return true;
        case 1 :
          step = inline(pieces.message()) ? 2 : 3;
          firstOfMessage = request;
          operation.compute(read ? hca.receive().ps() : hca.process().ps());
          return true;
        case 2 :
          step = 5;
          operation.signal(INLINE_READY);
          return true;
        case 3 :
          return window(operation);
        case 4 :
          step = 3;
          operation.send(host(), 0, MEMORY_READ + (int) (request++ % hca.reads()), NON_POSTED);
          return true;
        default :
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

    // Adds a wait until the next read may be issued.
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

  /** The adapter's transmitter: sends a packet as soon as all of its pieces have arrived from memory. */
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
        case 0 :
          if (!pieces.nextMessage()) {
            return false;
          }
          step = 1;
          return next(operation);
        case 1 :
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
        case 2 :
          step = 3;
          operation.receive(host(), PIECE);
          return true;
        case 3 :
          waiting--;
          step = waiting > 0 ? 2 : 4;
          operation.signal(PIECES_READ);
          return true;
        default :
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
        case 0 :
          if (!advance()) {
            return false;
          }
          step = 1;
          operation.receive(peerAdapter(), PACKET + lane);
          return true;
        case 1 :
          step = 2;
          operation.compute(hca.receive().ps());
          return true;
        case 2 :
          step = left > 0 ? 0 : 3;
          operation.send(host(), packet, hasCompletions() ? Operation.ONE_SIDED : DATA, POSTED);
          return true;
        case 3 :
          return finish(operation);
        case 4 :
          step = 5;
          operation.send(host(), hca.completionEntry().bytes(), COMPLETION, POSTED);
          return true;
        default :
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

  /** The reading adapter: forwards read requests, with as many outstanding as the transport allows. */
  private final class ReadRequests implements Stream {
    private int sent;
    private int step;

    @Override
    public boolean next(Operation operation) {
      switch (step) {
        case 0 :
          if (sent == settings.iterations()) {
            return false;
          }
          step = 1;
          operation.receive(host(), DOORBELL);
          return true;
        case 1 :
          step = 2;
          operation.compute(hca.process().ps());
          return true;
        case 2 :
          step = 3;
          operation.await(MESSAGES_IN, Math.max(0, sent - hca.rdmaReads() + 1));
          return true;
        case 3 :
          step = 4;
          sent++;
          operation.send(peerAdapter(), 0, READ, POSTED);
          return true;
        default :
          if (sent == settings.iterations()) {
            return false;
          }
          step = 0;
          operation.compute(Math.max(0, hca.gap().ps() - hca.process().ps()));
          return true;
      }
    }
  }

  /** The receiving adapter: acknowledges each message, at most at the rate at which it accepts messages. */
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
