package dev.heddle.workload.traffic;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;

/**
 * A closed-loop program: a number of messages, each sent when the injection queue has accepted the one before. Stream 0
 * sends; stream 1 receives the messages of the other ranks, peer by peer.
 */
final class ClosedLoopProgram implements Program {
  private final Destinations destinations;
  private final long bytes;
  private final int trafficClass;
  private final int messages;
  private final int[] expected;
  private int sent;
  private int peer;
  private int received;

  ClosedLoopProgram(Settings settings, DestinationPattern pattern, int rank, int ranks) {
    this.destinations = pattern.of(rank);
    this.bytes = settings.messageSize().bytes();
    this.trafficClass = settings.trafficClass();
    this.messages = settings.messages().orElseThrow();
    this.expected = expected(pattern, rank, ranks, messages);
  }

  // The number of messages from each rank, from the destinations that the other ranks will draw; the time is
  // proportional to ranks times messages.
  private static int[] expected(DestinationPattern pattern, int rank, int ranks, int messages) {
    int[] expected = new int[ranks];
    for (int source = 0; source < ranks; source++) {
      Destinations destinations = pattern.of(source);
      for (int i = 0; i < messages && source != rank; i++) {
        int destination = destinations.next();
        if (destination == rank) {
          expected[source]++;
        } else if (destination == Destinations.NONE) {
          break;
        }
      }
    }
    return expected;
  }

  @Override
  public int streams() {
    return 2;
  }

  @Override
  public boolean next(int stream, Operation operation) {
    return stream == 0 ? send(operation) : receive(operation);
  }

  private boolean send(Operation operation) {
    if (sent == messages) {
      return false;
    }
    int destination = destinations.next();
    if (destination == Destinations.NONE) {
      sent = messages;
      return false;
    }
    sent++;
    operation.send(destination, bytes, 0, trafficClass);
    return true;
  }

  private boolean receive(Operation operation) {
    while (peer < expected.length && received == expected[peer]) {
      peer++;
      received = 0;
    }
    if (peer == expected.length) {
      return false;
    }
    received++;
    operation.receive(peer, 0);
    return true;
  }
}
