package dev.heddle.workload.trace.goal;

import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.WaitCircle;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads GOAL in LogGOPSim's binary form: little-endian and packed; a magic number, ranks, and per rank begin and end of
 * a block, counted from byte 8. A block has its operations of 39 bytes each, and the numbers of the operations that
 * wait for each. LogGOPSim 2 writes the same with 104 bytes for an operation, of which the last 65 are those of
 * one-sided operations.
 */
final class GoalBinaryReader {
  /** The first eight bytes as a number. */
  static final long MAGIC = 4223;

  private static final int HEADER = 14;
  private static final int COUNTED_FROM = 8;
  private static final int NODE = 39;
  private static final int DEPENDENTS = 23;
  private static final int SEND = 1;
  private static final int RECEIVE = 2;
  private static final int CALC = 3;
  private static final int PUT = 4;
  private static final int APPEND = 6;
  private static final int TEST = 7;
  private static final int LAST_TYPE = 11;

  // Of the one-sided operations: the width of an operation, places in it, and bits of the options.
  private static final int WIDE_NODE = 104;
  private static final int OPTIONS = 39;
  private static final int COUNTER_TESTED = 40;
  private static final int VALUE_TESTED = 44;
  private static final int COUNTER_RAISED = 52;
  private static final int HANDLERS = 56;
  private static final int USE_ONCE = 1;
  private static final int OVERFLOW_LIST = 2;

  private static final long ANY = 0xffffffffL;
  private static final long MOST_NANOSECONDS = OperationGraph.MOST_PS / 1000;

  private final String file;
  private final InputStream in;
  private final long overheadPs;
  private final long limit;
  private final Messages messages = new Messages();
  private final OneSided oneSided = new OneSided();
  private long position;
  private long operations;
  private int ranks;

  /**
   * Reads from a stream.
   *
   * @param file its name, for messages
   * @param in its bytes; the caller closes it
   * @param overheadPs that a processor spends on each message sent and each received
   * @param limit the most operations of the file
   */
  GoalBinaryReader(String file, InputStream in, long overheadPs, long limit) {
    this.file = file;
    this.in = in;
    this.overheadPs = overheadPs;
    this.limit = limit;
  }

  /** The graph of each rank. */
  List<OperationGraph> read() {
    ByteBuffer header = bytes(HEADER);
    if (header.getLong() != MAGIC) {
      throw fail("is no binary GOAL; its first number must be " + MAGIC);
    }
    long count = header.getInt() & ANY;
    if (count < 1 || count > Messages.MOST_RANKS) {
      throw fail("has " + count + " ranks; 1 to " + Messages.MOST_RANKS + " are possible");
    }
    ranks = (int) count;
    ByteBuffer extents = bytes(16 * ranks);
    List<GoalRank> blocks = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      long begin = extents.getLong() + COUNTED_FROM;
      long end = extents.getLong() + COUNTED_FROM;
      if (begin != position || end < begin || end - begin > Integer.MAX_VALUE - COUNTED_FROM) {
        throw fail("rank " + rank + " lies from byte " + begin + " to " + end + ", but must begin at byte " + position);
      }
      blocks.add(block(rank, bytes((int) (end - begin))));
    }
    try {
      messages.check();
      oneSided.check();
    } catch (TraceException e) {
      throw fail(String.valueOf(e.getMessage()));
    }
    List<OperationGraph> graphs = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      int self = rank;
      graphs.add(blocks.get(rank).graph().build(node -> file + ": " + place(self, blocks.get(self).number(node))));
    }
    if (blocks.stream().noneMatch(GoalRank::byArrival)) {
      WaitCircle.refuse(
          graphs, List.of(), (rank, node) -> file + ": " + place(rank, blocks.get(rank).number(node)));
    }
    return graphs;
  }

  private static String place(int rank, int operation) {
    return "rank " + rank + ", operation " + operation;
  }

  private GoalRank block(int rank, ByteBuffer data) {
    long nodes = number(data, rank);
    operations += nodes;
    if (operations > limit) {
      throw fail("there are more than " + limit + " operations; the setting limit allows more");
    }
    long roots = number(data, rank);
    if (roots > nodes || data.remaining() < 4 * roots + NODE * nodes) {
      throw fail("rank " + rank + " is cut off: " + nodes + " operations do not fit its " + data.capacity() + " bytes");
    }
    data.position((int) (data.position() + 4 * roots));
    int begin = data.position();
    int width = fits(data, begin, (int) nodes, WIDE_NODE) && !fits(data, begin, (int) nodes, NODE) ? WIDE_NODE : NODE;
    GoalRank block = new GoalRank(rank, overheadPs, messages, oneSided);
    for (int node = 0; node < nodes; node++) {
      operation(rank, node, block, data, begin + width * node, width);
    }
    int appendix = (int) (begin + width * nodes);
    for (int node = 0; node < nodes; node++) {
      int at = begin + width * node + DEPENDENTS;
      String name = place(rank, node);
      for (int dependent : dependents(name, data, appendix, at, nodes)) {
        block.require(dependent, node, false);
      }
      for (int dependent : dependents(name, data, appendix, at + 8, nodes)) {
        block.require(dependent, node, true);
      }
    }
    return block;
  }

  // Whether operations of a width, and the dependents that they count, fill the block.
  private static boolean fits(ByteBuffer data, int begin, int nodes, int width) {
    long end = begin + (long) width * nodes;
    for (int node = 0; node < nodes && end <= data.capacity(); node++) {
      int at = begin + width * node + DEPENDENTS;
      end += 4 * ((data.getInt(at) & ANY) + (data.getInt(at + 8) & ANY));
    }
    return end == data.capacity();
  }

  private long number(ByteBuffer data, int rank) {
    if (data.remaining() < 4) {
      throw fail("rank " + rank + " is cut off: its block has " + data.capacity() + " bytes");
    }
    return data.getInt() & ANY;
  }

  // Unmet count, type, peer, size, tag, cpu and nic; then the rows of dependents.
  private void operation(int rank, int node, GoalRank block, ByteBuffer data, int at, int width) {
    int type = data.get(at + 4);
    long peer = data.getInt(at + 5) & ANY;
    long size = data.getLong(at + 9);
    long tag = data.getInt(at + 17) & ANY;
    int cpu = data.get(at + 21) & 0xff;
    String place = place(rank, node);
    if (type < SEND || type > (width == NODE ? CALC : LAST_TYPE)) {
      throw fail(place + " has the type " + type + "; types are 1 to " + (width == NODE ? CALC : LAST_TYPE));
    }
    boolean takesAny = type == RECEIVE || type == APPEND;
    boolean message = takesAny || type == SEND || type == PUT;
    if (message && (peer == ANY || tag == ANY ? !takesAny : peer >= ranks) || message && peer == rank) {
      throw fail(place + " has the peer " + (peer == ANY ? "any" : peer) + " and the tag "
          + (tag == ANY ? "any" : tag) + "; needed are another rank below " + ranks + " and a tag");
    }
    if (size < 0 || size > (type == CALC ? MOST_NANOSECONDS : OperationGraph.MOST_BYTES)) {
      throw fail(place + " has the size " + Long.toUnsignedString(size) + ", which is too large");
    }
    int from = peer == ANY ? GoalRank.ANY : (int) peer;
    long withTag = tag == ANY ? GoalRank.ANY : tag;
    switch (type) {
      case SEND -> block.send(from, size, tag, cpu);
      case RECEIVE -> block.receive(from, withTag, cpu);
      case CALC -> block.calc(size, cpu);
      case PUT -> block.put(from, size, tag, cpu, counter(data, at + COUNTER_RAISED, place), file + ": " + place);
      case APPEND -> {
        for (int handler = 0; handler < 3; handler++) {
          if (data.getInt(at + HANDLERS + 4 * handler) != -1) {
            throw fail(place + " has handlers of packets, which are not simulated");
          }
        }
        int options = data.get(at + OPTIONS);
        block.append(from, withTag, cpu, counter(data, at + COUNTER_RAISED, place),
            new GoalRank.EntryKind((options & OVERFLOW_LIST) != 0, (options & USE_ONCE) != 0));
      }
      case TEST -> {
        long value = data.getLong(at + VALUE_TESTED);
        int counter = counter(data, at + COUNTER_TESTED, place);
        if (value < 0 || counter == GoalRank.NO_COUNTER) {
          throw fail(place + " tests counter " + counter + " for " + value + "; needed are numbers from 0");
        }
        block.test(counter, value, cpu);
      }
      default -> throw fail(place + " has the type " + type
          + ", which is not read; of LogGOPSim 2's one-sided operations put, append and test are");
    }
  }

  private int counter(ByteBuffer data, int at, String place) {
    int counter = data.getInt(at);
    if (counter < GoalRank.NO_COUNTER || counter >= GoalRank.MOST_COUNTERS) {
      throw fail(place + " has the counter " + (counter & ANY) + "; the last is " + (GoalRank.MOST_COUNTERS - 1));
    }
    return counter;
  }

  // A row of dependents: its length and its place in the appendix stand at a byte.
  private int[] dependents(String name, ByteBuffer data, int appendix, int at, long nodes) {
    long count = data.getInt(at) & ANY;
    long first = data.getInt(at + 4) & ANY;
    if (count > 0 && appendix + 4 * (first + count) > data.capacity()) {
      throw fail(name + " names dependents beyond the end of its rank");
    }
    int[] row = new int[(int) count];
    for (int i = 0; i < row.length; i++) {
      long dependent = data.getInt((int) (appendix + 4 * (first + i))) & ANY;
      if (dependent >= nodes) {
        throw fail(name + " names the dependent " + dependent + " of " + nodes);
      }
      row[i] = (int) dependent;
    }
    return row;
  }

  private ByteBuffer bytes(int count) {
    try {
      byte[] bytes = in.readNBytes(count);
      if (bytes.length < count) {
        throw fail("ends at byte " + (position + bytes.length) + ", within " + count + " bytes from byte " + position);
      }
      position += count;
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TraceException fail(String message) {
    return new TraceException(file + ": " + message);
  }
}
