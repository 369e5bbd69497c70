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
  private final ExpectedMessages expected;
  private final int pairsEnd;
  private int sent;
  private int pair;
  private int received;

  ClosedLoopProgram(Settings settings, Destinations destinations, ExpectedMessages expected, int rank) {
    this.destinations = destinations;
    this.bytes = settings.messageSize().bytes();
    this.trafficClass = settings.trafficClass();
    this.messages = settings.messages().orElseThrow();
    this.expected = expected;
    pair = expected.first(rank);
    pairsEnd = expected.first(rank + 1);
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
    if (pair == pairsEnd) {
      return false;
    }
    operation.receive(expected.source(pair), 0);
    received++;
    if (received == expected.count(pair)) {
      pair++;
      received = 0;
    }
    return true;
  }
}
