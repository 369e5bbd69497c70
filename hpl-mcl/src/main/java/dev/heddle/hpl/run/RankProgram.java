package dev.heddle.hpl.run;

import dev.heddle.hpl.RowSwap;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;

/**
 * The program of one process of HPL: one stream factorises and updates, another forwards panels along the process's
 * row.
 *
 * <p>With look-ahead of depth d the columns that own panel j + d bring it up to date, factorise and send it before they
 * update the rest with panel j; without, a panel is factorised when all updates with the one before have finished.
 */
final class RankProgram implements Program {
  private static final int MAIN = 0;
  private static final int FACTORISED = 0;
  private static final int ARRIVED = 1;
  private static final int ROUND_BITS = 6;
  private static final int PANEL_BITS = 12;

  private enum Purpose {
    PIVOT,
    BROADCAST,
    SWAP
  }

  private final ProcessPlan plan;
  private final int row;
  private final int column;
  private final int panels;
  private final OperationQueue main = new OperationQueue();
  private final OperationQueue passing = new OperationQueue();
  private final Line inRow;
  private final Line inColumn;
  private final long[] exchangesPs;
  private int ahead;
  private int panel;
  private int passed;

  RankProgram(ProcessPlan plan, int row, int column) {
    this.plan = plan;
    this.row = row;
    this.column = column;
    panels = plan.panels();
    inRow = new Line(passing, Purpose.BROADCAST);
    inColumn = new Line(main, Purpose.SWAP);
    exchangesPs = plan.exchangesPs(row, column);
  }

  @Override
  public int streams() {
    return plan.columns() > 1 ? 2 : 1;
  }

  @Override
  public boolean next(int stream, Operation operation) {
    OperationQueue queue = stream == MAIN ? main : passing;
    while (queue.isEmpty()) {
      if (!(stream == MAIN ? advance() : pass())) {
        return false;
      }
    }
    queue.take(operation);
    return true;
  }

  // --- factorising and updating ---

  private boolean advance() {
    int depth = plan.depth();
    if (ahead < Math.min(depth, panels)) {
      lookAhead(ahead++, 0);
      return true;
    }
    if (panel == panels) {
      return false;
    }
    if (panel + depth < panels) {
      lookAhead(panel + depth, panel);
    }
    update(panel, plan.blocks(panel + depth + 1, column, plan.columns()));
    panel++;
    return true;
  }

  // Brings a panel up to date with those from another on, and factorises it.
  private void lookAhead(int next, int from) {
    if (next % plan.columns() == column) {
      for (int done = from; done < next; done++) {
        update(done, 1);
      }
      factorise(next);
    }
  }

  private void factorise(int which) {
    int round = 0;
    long bytes = plan.pivotBytes();
    int rows = plan.rows();
    int even = Integer.highestOneBit(rows);
    if (row >= even) {
      exchange(row - even, bytes, which, round, true, false);
      exchange(row - even, bytes, which, Spread.ROLL, false, true);
    } else {
      if (row + even < rows) {
        exchange(row + even, bytes, which, round, false, true);
      }
      for (int distance = 1; distance < even; distance *= 2) {
        exchange(row ^ distance, bytes, which, ++round, true, true);
      }
      if (row + even < rows) {
        exchange(row + even, bytes, which, Spread.ROLL, true, false);
      }
    }
    main.compute(plan.factorisePs(plan.blocks(which, row, rows)));
    main.signal(FACTORISED);
  }

  // All NB exchanges of a round as one: their bytes as one message, and the latencies of all but that one.
  private void exchange(int other, long bytes, int which, int round, boolean sends, boolean receives) {
    int peer = plan.rank(other, column);
    int tag = tag(Purpose.PIVOT, which, round);
    if (sends) {
      main.send(peer, bytes, tag);
    }
    if (receives) {
      main.receive(peer, tag);
      main.compute(exchangesPs[other]);
    }
  }

  private void update(int with, int blocks) {
    if (blocks == 0) {
      return;
    }
    if (plan.columns() > 1) {
      main.await(ARRIVED, with + 1L);
    }
    long columns = (long) blocks * plan.blockSize();
    if (plan.rows() > 1) {
      swap(with, columns);
    }
    main.compute(plan.updatePs(plan.blocks(with + 1, row, plan.rows()), columns));
  }

  private void swap(int with, long columns) {
    long bytes = plan.swapBytes(columns);
    inColumn.begin(with, with % plan.rows(), row, plan.rows());
    if (plan.swap(columns) == RowSwap.BINARY_EXCHANGE) {
      inColumn.exchangeAll(bytes);
    } else {
      Spread.spread(inColumn.self, plan.rows(), bytes, inColumn);
      Spread.roll(inColumn.self, plan.rows(), bytes, inColumn);
    }
  }

  // --- passing panels on ---

  private boolean pass() {
    if (passed == panels) {
      return false;
    }
    int owner = passed % plan.columns();
    if (owner == column) {
      passing.await(FACTORISED, passed / plan.columns() + 1L);
    }
    inRow.begin(passed, owner, column, plan.columns());
    Broadcasts.add(
        plan.broadcast(), inRow.self, plan.columns(), plan.panelBytes(plan.blocks(passed + 1, row, plan.rows())),
        inRow);
    passed++;
    return true;
  }

  private static int tag(Purpose purpose, int panel, int round) {
    return (purpose.ordinal() << PANEL_BITS | panel & (1 << PANEL_BITS) - 1) << ROUND_BITS | round;
  }

  /** The processes of this one's row or column, numbered from the one that has the panel. */
  private final class Line implements Broadcasts.Process {
    private final OperationQueue queue;
    private final Purpose purpose;
    private int about;
    private int root;
    private int self;
    private int size;
    private boolean skips;

    Line(OperationQueue queue, Purpose purpose) {
      this.queue = queue;
      this.purpose = purpose;
    }

    void begin(int ofPanel, int ofRoot, int own, int members) {
      about = ofPanel;
      root = ofRoot;
      size = members;
      self = (own - ofRoot + members) % members;
    }

    private int rank(int position) {
      int place = (position + (skips && position > 0 ? 1 : 0) + root) % size;
      return purpose == Purpose.BROADCAST ? plan.rank(row, place) : plan.rank(place, column);
    }

    @Override
    public void send(int to, long bytes, int step) {
      queue.send(rank(to), bytes, tag(purpose, about, step));
    }

    @Override
    public void receive(int from, int step) {
      queue.receive(rank(from), tag(purpose, about, step));
    }

    @Override
    public void arrived() {
      queue.signal(ARRIVED);
    }

    @Override
    public void skipNext(boolean skip) {
      skips = skip;
    }

    // Every round all exchange all with a partner twice as far; those beyond a power of two come in first, and last.
    private void exchangeAll(long bytes) {
      int even = Integer.highestOneBit(size);
      int last = Spread.ROLL;
      if (self >= even) {
        send(self - even, bytes, 0);
        receive(self - even, last);
        return;
      }
      if (self + even < size) {
        receive(self + even, 0);
      }
      int step = 0;
      for (int distance = 1; distance < even; distance *= 2) {
        step++;
        send(self ^ distance, bytes, step);
        receive(self ^ distance, step);
      }
      if (self + even < size) {
        send(self + even, bytes, last);
      }
    }
  }
}
