package dev.heddle.workload.trace.goal;

import dev.heddle.workload.trace.graph.GraphBuilder;
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
import java.util.Arrays;
import java.util.List;

/**
 * Reads GOAL in LogGOPSim's binary form: little-endian and packed; a magic number, ranks, and per rank begin and end of
 * a block, counted from byte 8. A block has its operations of 39 bytes each, and the numbers of the operations that
 * wait for each. Receives from any sender are refused, as only the text form resolves them.
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
  private static final long ANY = 0xffffffffL;
  private static final long MOST_NANOSECONDS = OperationGraph.MOST_PS / 1000;

  private final String file;
  private final InputStream in;
  private final long overheadPs;
  private final long limit;
  private final Messages messages = new Messages();
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

  /** The graph of a rank; of each operation of the file its first and its last one there. */
  private static final class Block {
    private final GraphBuilder graph = new GraphBuilder();
    private final int[] first;
    private final int[] last;

    Block(int operations) {
      first = new int[operations];
      last = new int[operations];
    }
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
    List<Block> blocks = new ArrayList<>();
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
    } catch (TraceException e) {
      throw fail(String.valueOf(e.getMessage()));
    }
    List<OperationGraph> graphs = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      int self = rank;
      graphs.add(blocks.get(rank).graph.build(node -> place(self, blocks.get(self), node)));
    }
    WaitCircle.refuse(graphs, List.of(), (rank, node) -> place(rank, blocks.get(rank), node));
    return graphs;
  }

  private String place(int rank, Block block, int node) {
    int at = Arrays.binarySearch(block.first, node);
    return file + ": rank " + rank + ", operation " + (at >= 0 ? at : -2 - at);
  }

  private Block block(int rank, ByteBuffer data) {
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
    Block block = new Block((int) nodes);
    for (int node = 0; node < nodes; node++) {
      data.position(begin + NODE * node);
      operation(rank, node, block, data);
    }
    int appendix = (int) (begin + NODE * nodes);
    for (int node = 0; node < nodes; node++) {
      int at = begin + NODE * node + DEPENDENTS;
      String name = "rank " + rank + ", operation " + node;
      for (int dependent : dependents(name, data, appendix, at, nodes)) {
        block.graph.after(block.first[dependent], block.last[node]);
      }
      for (int dependent : dependents(name, data, appendix, at + 8, nodes)) {
        block.graph.afterStart(block.first[dependent], block.first[node]);
      }
    }
    return block;
  }

  private long number(ByteBuffer data, int rank) {
    if (data.remaining() < 4) {
      throw fail("rank " + rank + " is cut off: its block has " + data.capacity() + " bytes");
    }
    return data.getInt() & ANY;
  }

  // Unmet count, type, peer, size, tag, cpu and nic; then the rows of dependents.
  private void operation(int rank, int node, Block block, ByteBuffer data) {
    data.getInt();
    int type = data.get();
    long peer = data.getInt() & ANY;
    long size = data.getLong();
    long tag = data.getInt() & ANY;
    int cpu = data.get() & 0xff;
    GraphBuilder graph = block.graph;
    if (type != CALC && (peer >= ranks || peer == rank || tag == ANY)) {
      throw fail(
          "rank " + rank + ", operation " + node + " has the peer " + (peer == ANY ? "any" : peer) + " and the tag "
              + (tag == ANY ? "any" : tag) + "; needed are another rank below " + ranks + " and a tag");
    }
    if (size < 0 || size > (type == CALC ? MOST_NANOSECONDS : OperationGraph.MOST_BYTES)) {
      throw fail("rank " + rank + ", operation " + node + " has the size " + Long.toUnsignedString(size)
          + ", which is too large");
    }
    block.first[node] = graph.size();
    switch (type) {
      case SEND -> {
        int before = overheadPs > 0 ? graph.compute(cpu, overheadPs) : -1;
        int send = graph.send((int) peer, size, messages.send(rank, (int) peer, tag));
        if (before >= 0) {
          graph.after(send, before);
        }
      }
      case RECEIVE -> {
        int receive = graph.receive((int) peer, messages.receive((int) peer, rank, tag));
        if (overheadPs > 0) {
          graph.after(graph.compute(cpu, overheadPs), receive);
        }
      }
      case CALC -> graph.compute(cpu, 1000 * size);
      default -> throw fail("rank " + rank + ", operation " + node + " has the type " + type + "; types are 1 to 3");
    }
    block.last[node] = graph.size() - 1;
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
