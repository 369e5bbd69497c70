package dev.heddle.workload.traffic;

import dev.heddle.workload.Operation;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;
import java.util.ArrayList;
import java.util.List;

/** The streams of a host in a microbenchmark: the program itself, and memory that answers the adapter's reads. */
final class HostStreams extends Verbs {
  HostStreams(Settings settings, int mtu, int side) {
    super(settings, mtu, side);
  }

  /** The streams of the host: the program, and memory that answers the adapter's reads. */
  List<Stream> streams() {
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

  /** Ping-pong: sends its own messages and waits for those of the other side, in turn; side 0 begins. */
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

  /** Bandwidth: posts messages, with as many outstanding as the depth allows, and waits for all completions. */
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

  /** Bandwidth: receives all messages. */
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
}
