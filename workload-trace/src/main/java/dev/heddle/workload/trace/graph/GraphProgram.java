package dev.heddle.workload.trace.graph;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.Arrays;

/**
 * Executes a graph's operations, each as soon as its dependencies are done and its resource is free. Each worker of a
 * resource is a stream: it waits until the resource has had as many ready operations as its turn says, takes the first
 * of those that are ready, executes it, and raises the signal of each resource that then has one more.
 *
 * <p>Where the rank matches messages by arrival, a stream per sender and tag receives all such messages, and
 * passes each to {@link ArrivalMatching}. Arrivals of one time come in the order of the network's events, which does
 * not depend on threads.
 */
final class GraphProgram implements Program {
  private static final int NONE = -1;
  private static final int FEW = 4;

  private static final byte TAKE = 0;
  private static final byte PICK = 1;
  private static final byte BEGIN = 2;
  private static final byte END = 3;
  private static final byte LAST = 4;

  private final OperationGraph graph;
  private final int[] unmet;
  private int left;

  // Per resource: ready operations, their number at the start, their number in all, turns given.
  private final IntHeap[] ready;
  private final int[] atStart;
  private final int[] total;
  private final int[] turns;

  // Per worker: its resource, its operation and the state of it, and the signals that it has still to raise.
  private final int[] resourceOf;
  private final int[] current;
  private final byte[] phase;
  private final int[][] outbox;
  private final int[] outboxNext;
  private final int[] outboxEnd;

  // Where messages are matched by arrival: operations to be matched, messages received of each kind.
  private final ArrivalMatching matching;
  private final IntHeap starting = new IntHeap();
  private final int[] heard;

  private int[] freed = new int[FEW];
  private int freedCount;

  GraphProgram(OperationGraph graph) {
    this.graph = graph;
    unmet = graph.unmet.clone();
    left = graph.size();
    ready = new IntHeap[graph.resources];
    Arrays.setAll(ready, resource -> new IntHeap());
    atStart = new int[graph.resources];
    total = new int[graph.resources];
    turns = new int[graph.resources];
    for (int resource : graph.resource) {
      if (resource != NONE) {
        total[resource]++;
      }
    }
    resourceOf = workers(graph);
    matching = new ArrivalMatching(graph);
    heard = new int[graph.arrivals.kinds()];
    int streams = resourceOf.length + heard.length;
    current = new int[streams];
    Arrays.fill(current, NONE);
    phase = new byte[streams];
    outbox = new int[streams][FEW];
    outboxNext = new int[streams];
    outboxEnd = new int[streams];
    start();
  }

  // Resource by resource; where there is no resource, one worker that has nothing to do.
  private static int[] workers(OperationGraph graph) {
    int[] resourceOf = new int[Math.max(1, Arrays.stream(graph.workers).sum())];
    int at = 0;
    for (int resource = 0; resource < graph.resources; resource++) {
      Arrays.fill(resourceOf, at, at + graph.workers[resource], resource);
      at += graph.workers[resource];
    }
    return resourceOf;
  }

  private void start() {
    for (int node = 0; node < unmet.length; node++) {
      if (graph.unmet[node] == 0) {
        free(node);
      }
    }
    settle(NONE);
  }

  @Override
  public int streams() {
    return phase.length;
  }

  @Override
  public boolean reactive() {
    return true;
  }

  @Override
  public boolean next(int worker, Operation operation) {
    while (true) {
      if (phase[worker] == END) {
        phase[worker] = TAKE;
        ended(worker, worker < resourceOf.length ? current[worker] : matching.arrived(worker - resourceOf.length));
        current[worker] = NONE;
      }
      if (outboxNext[worker] < outboxEnd[worker]) {
        operation.signal(outbox[worker][outboxNext[worker]++]);
        operation.activity(TraceActivities.WAIT);
        return true;
      }
      outboxNext[worker] = 0;
      outboxEnd[worker] = 0;
      if (worker >= resourceOf.length) {
        return hears(worker, operation);
      }
      if (phase[worker] == BEGIN) {
        phase[worker] = END;
        begin(current[worker], operation);
        return true;
      }
      if (phase[worker] == PICK) {
        phase[worker] = BEGIN;
        current[worker] = ready[resourceOf[worker]].removeLeast();
        started(worker, current[worker]);
      } else if (phase[worker] == LAST || graph.resources == 0
          || turns[resourceOf[worker]] == total[resourceOf[worker]]) {
        return waitForAll(worker, operation);
      } else {
        phase[worker] = PICK;
        if (waits(resourceOf[worker], operation)) {
          return true;
        }
      }
    }
  }

  private boolean hears(int worker, Operation operation) {
    int messages = worker - resourceOf.length;
    if (heard[messages] == graph.arrivals.count()[messages]) {
      return false;
    }
    heard[messages]++;
    phase[worker] = END;
    operation.receive(graph.arrivals.from()[messages], graph.arrivals.tag()[messages]);
    operation.activity(TraceActivities.WAIT);
    return true;
  }

  private boolean waits(int resource, Operation operation) {
    turns[resource]++;
    if (turns[resource] <= atStart[resource]) {
      return false;
    }
    operation.await(resource, turns[resource] - atStart[resource]);
    operation.activity(TraceActivities.WAIT);
    return true;
  }

  // The rank's first stream, where that computes, goes on until all is done, so that its time is the rank's.
  private boolean waitForAll(int worker, Operation operation) {
    if (worker > 0 || !graph.computes || phase[worker] == LAST) {
      return false;
    }
    phase[worker] = LAST;
    operation.await(graph.resources, 1);
    operation.activity(TraceActivities.WAIT);
    return true;
  }

  private void begin(int node, Operation operation) {
    operation.activity(TraceActivities.WAIT);
    switch (graph.kind[node]) {
      case OperationGraph.COMPUTE :
        operation.compute(graph.amount[node]);
        operation.activity(TraceActivities.COMPUTE);
        break;
      case OperationGraph.SEND :
        operation.send(graph.peer[node], graph.amount[node], graph.tag[node], 0);
        break;
      case OperationGraph.RECEIVE :
        operation.receive(graph.peer[node], graph.tag[node]);
        break;
      default :
        operation.collective(graph.tag[node], graph.collectiveOp(node), graph.amount[node], graph.peer[node]);
    }
  }

  private void started(int worker, int node) {
    release(graph.afterStart, node);
    settle(worker);
  }

  // An operation, or none, has ended; a message may have raised a counter besides.
  private void ended(int worker, int node) {
    if (node != NONE) {
      done(node);
    }
    settle(worker);
    if (left == 0 && graph.computes) {
      left = NONE;
      post(worker, graph.resources);
    }
  }

  private void done(int node) {
    left--;
    release(graph.afterEnd, node);
  }

  private void release(IntRows rows, int node) {
    for (int i = rows.begin(node); i < rows.end(node); i++) {
      if (--unmet[rows.value(i)] == 0) {
        free(rows.value(i));
      }
    }
  }

  private void free(int node) {
    if (freedCount == freed.length) {
      freed = Arrays.copyOf(freed, 2 * freedCount);
    }
    freed[freedCount++] = node;
  }

  // Passes free operations to their resources; one without a resource is done at once and may free more.
  private void settle(int worker) {
    passTests();
    while (freedCount > 0 || !starting.isEmpty()) {
      if (freedCount == 0) {
        match(starting.removeLeast());
        passTests();
        continue;
      }
      int node = freed[--freedCount];
      int resource = graph.resource[node];
      if (resource != NONE) {
        ready[resource].add(node);
        if (worker == NONE) {
          atStart[resource]++;
        } else {
          post(worker, resource);
        }
      } else if (ArrivalMatching.matches(graph.kind[node])) {
        starting.add(node);
      } else {
        release(graph.afterStart, node);
        done(node);
      }
    }
  }

  private void match(int node) {
    release(graph.afterStart, node);
    if (matching.start(node)) {
      done(node);
    }
  }

  private void passTests() {
    for (int test = matching.takePassed(); test != NONE; test = matching.takePassed()) {
      done(test);
    }
  }

  private void post(int worker, int signal) {
    if (outboxEnd[worker] == outbox[worker].length) {
      outbox[worker] = Arrays.copyOf(outbox[worker], 2 * outboxEnd[worker]);
    }
    outbox[worker][outboxEnd[worker]++] = signal;
  }
}
