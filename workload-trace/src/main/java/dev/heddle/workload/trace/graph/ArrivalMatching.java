package dev.heddle.workload.trace.graph;

import dev.heddle.spi.InvalidSettingException;

/**
 * The matching of a rank's messages with its receives by arrival, as LogGOPSim does it: a message that arrives takes
 * the first of the posted receives that fit it, or waits; a receive takes the first to arrive of the waiting messages
 * that fit it, or is posted.
 *
 * <p>Puts are matched with list entries as in Portals 4 [LogGOPSim 2, module portals4]: with those of the priority
 * list, then with those of the overflow list, whose messages wait for an entry of the priority list. An entry serves
 * once or for ever. Each match, and each put that leaves with a counter, adds one to a counter, for which tests wait.
 */
final class ArrivalMatching {
  private static final int NONE = MessageList.NONE;

  private final OperationGraph graph;
  private final MessageList posted = new MessageList();
  private final MessageList waiting = new MessageList();
  private final MessageList priority = new MessageList();
  private final MessageList overflow = new MessageList();
  private final MessageList headers = new MessageList();
  private final MessageList tests = new MessageList();
  private final long[] counters;
  private int arriving;

  ArrivalMatching(OperationGraph graph) {
    this.graph = graph;
    arriving = graph.arrivals.total();
    counters = new long[graph.counters];
  }

  /** Whether operations of a kind end by matching, not by a resource. */
  static boolean matches(byte kind) {
    return kind == OperationGraph.RECEIVE || kind == OperationGraph.APPEND || kind == OperationGraph.TEST
        || kind == OperationGraph.COUNT;
  }

  /**
   * Starts an operation.
   *
   * @return whether it ends at once
   */
  boolean start(int node) {
    switch (graph.kind[node]) {
      case OperationGraph.RECEIVE :
        return receive(node);
      case OperationGraph.APPEND :
        append(node);
        return true;
      case OperationGraph.COUNT :
        counters[graph.tag[node]]++;
        return true;
      default :
        return test(node);
    }
  }

  private boolean test(int node) {
    if (passes(node)) {
      return true;
    }
    tests.add(MessageList.ANY, MessageList.ANY, node);
    return false;
  }

  private boolean receive(int node) {
    int at = waiting.find(graph.peer[node], graph.tag[node]);
    if (at == NONE) {
      posted.add(graph.peer[node], graph.tag[node], node);
      refuseWhenAllHaveCome();
      return false;
    }
    waiting.remove(at);
    return true;
  }

  // A put waits with its header in the overflow list until an entry of the priority list takes it.
  private void append(int node) {
    boolean once = OperationGraph.once(graph.amount[node]);
    if (OperationGraph.overflow(graph.amount[node])) {
      overflow.add(graph.peer[node], graph.tag[node], node);
      return;
    }
    int at = headers.find(graph.peer[node], graph.tag[node]);
    boolean found = at != NONE;
    while (at != NONE) {
      headers.remove(at);
      count(node);
      at = once ? NONE : headers.find(graph.peer[node], graph.tag[node]);
    }
    if (!found || !once) {
      priority.add(graph.peer[node], graph.tag[node], node);
    }
  }

  private void count(int entry) {
    int counter = OperationGraph.counter(graph.amount[entry]);
    if (counter >= 0) {
      counters[counter]++;
    }
  }

  /**
   * Takes a message that has arrived.
   *
   * @param kind of message among {@link Arrivals}
   * @return the receive that ends; -1 where there is none
   */
  int arrived(int kind) {
    int from = graph.arrivals.from()[kind];
    int tag = graph.arrivals.tag()[kind];
    arriving--;
    if (graph.arrivals.put()[kind]) {
      put(from, tag);
      return NONE;
    }
    int at = posted.find(from, tag);
    if (at == NONE) {
      waiting.add(from, tag, NONE);
      refuseWhenAllHaveCome();
      return NONE;
    }
    int node = posted.node(at);
    posted.remove(at);
    refuseWhenAllHaveCome();
    return node;
  }

  private void put(int from, int tag) {
    boolean urgent = priority.find(from, tag) != NONE;
    MessageList list = urgent ? priority : overflow;
    int at = list.find(from, tag);
    if (at == NONE) {
      throw new InvalidSettingException("file", "a put of rank " + from + " reaches the rank of " + graph.place(0)
          + " while no append takes it: none is executed yet, or each was used once; Portals drops such a message");
    }
    int entry = list.node(at);
    if (!urgent) {
      headers.add(from, tag, NONE);
    }
    count(entry);
    if (OperationGraph.once(graph.amount[entry])) {
      list.remove(at);
    }
  }

  /** Takes a test that waits no longer; -1 where there is none. */
  int takePassed() {
    for (int i = 0; i < tests.size(); i++) {
      int test = tests.node(i);
      if (passes(test)) {
        tests.remove(i);
        return test;
      }
    }
    return NONE;
  }

  private boolean passes(int test) {
    return counters[graph.tag[test]] >= graph.amount[test];
  }

  // A posted receive that fits none of the messages that wait cannot end when no more messages come.
  private void refuseWhenAllHaveCome() {
    if (arriving == 0 && posted.size() > 0) {
      throw new InvalidSettingException("file", graph.place(posted.node(0))
          + ", a receive, gets no message: all messages of the rank have arrived,"
          + " and receives before it took those that fit it");
    }
  }
}
