package dev.heddle.collectives.msccl;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.StepKind;
import dev.heddle.collective.TransportModel;
import dev.heddle.text.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An algorithm in MSCCL XML, read. It holds no size: {@link #schedule} makes a schedule for a collective of its kind.
 */
public final class MscclFile {
  /** The messages that a connection holds: NCCL's 8 steps, NCCL_STEPS in its device.h. */
  public static final int WINDOW = 8;

  private final String file;
  private final Header header;
  private final List<Gpu> gpus;

  MscclFile(String file, Header header, List<Gpu> gpus) {
    this.file = file;
    this.header = header;
    this.gpus = List.copyOf(gpus);
  }

  record Header(String name, String protocol, CollectiveOp op, int ranks, int chunks, boolean inPlace, int root,
      Sizes sizes) {}

  /** Sizes in bytes for which an algorithm is meant, both ends included. */
  record Sizes(long least, long most) {
    boolean contain(long bytes) {
      return bytes >= least && bytes <= most;
    }
  }

  record Gpu(int inputChunks, int outputChunks, int scratchChunks, List<ThreadBlock> blocks) {}

  record ThreadBlock(int send, int receive, int channel, List<Line> steps) {}

  record Line(int line, StepKind kind, String source, int sourceSlot, String target, int targetSlot, int count,
      int dependencyBlock, int dependencyStep) {}

  /**
   * Reads a file; entities, external or not, are refused.
   *
   * @throws ScheduleFormatException when it cannot be read or holds no MSCCL algorithm
   */
  public static MscclFile read(Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      return new MscclReader(path.toString(), in).read();
    } catch (IOException e) {
      throw new ScheduleFormatException(Unreadable.message(path, e));
    }
  }

  /** The sizes for which the algorithm is meant. */
  Sizes sizes() {
    return header.sizes();
  }

  /** The name of the protocol, such as {@code LL128}. */
  String protocol() {
    return header.protocol();
  }

  /** The size for which the algorithm is meant that is nearest to another, in bytes. */
  public long nearestSize(long bytes) {
    return Math.max(header.sizes().least(), Math.min(header.sizes().most(), bytes));
  }

  /** The operation. */
  public CollectiveOp op() {
    return header.op();
  }

  /** The number of ranks. */
  public int ranks() {
    return header.ranks();
  }

  /** The root, or 0 where the operation has none. */
  public int root() {
    return header.root();
  }

  /**
   * The schedule for a collective.
   *
   * @throws ScheduleFormatException when the file is for another operation, number of ranks or root, or a step cannot
   * be
   */
  public Schedule schedule(Collective collective) {
    if (collective.op() != op() || collective.ranks() != ranks() || collective.root() != root()) {
      throw new ScheduleFormatException(file + ": does " + op().key() + " on " + ranks() + " ranks"
          + (op().rooted() ? ", root " + root() : "") + ", not " + collective);
    }
    Layout layout = layout(collective);
    List<RankSteps> ranks = new ArrayList<>();
    for (int rank = 0; rank < gpus.size(); rank++) {
      try {
        ranks.add(steps(layout, rank));
      } catch (IllegalArgumentException e) {
        throw new ScheduleFormatException(file + ": " + e.getMessage());
      }
    }
    return Schedule.of(header.name(), layout, ranks).withProtocol(
        new TransportModel(header.protocol(), 1, 1, Long.MAX_VALUE, 0, TransportModel.Costs.NONE));
  }

  private Layout layout(Collective collective) {
    Layout one = Layout.of(collective, 1);
    int blocks = Math.max(one.slots(root(), Buffer.INPUT), one.slots(root(), Buffer.OUTPUT));
    if (header.chunks() % blocks != 0) {
      throw new ScheduleFormatException(file + ": nchunksperloop is " + header.chunks() + ", but " + op().key() + " on "
          + ranks() + " ranks has " + blocks + " blocks of equally many chunks");
    }
    Layout layout = Layout.of(collective, header.chunks() / blocks);
    long[] scratch = new long[gpus.stream().mapToInt(Gpu::scratchChunks).max().orElse(0)];
    Arrays.fill(scratch, Math.floorDiv(collective.bytes() + header.chunks() - 1, header.chunks()));
    layout = layout.withScratch(scratch);
    for (int rank = 0; rank < gpus.size(); rank++) {
      requireChunks(rank, "i_chunks", gpus.get(rank).inputChunks(), layout.slots(rank, Buffer.INPUT));
      requireChunks(rank, "o_chunks", gpus.get(rank).outputChunks(), layout.slots(rank, Buffer.OUTPUT));
    }
    return header.inPlace() ? layout.sharingInputAndOutput() : layout;
  }

  // Files leave out a buffer or write 0 where it is shared; in place, both may state the larger one.
  private void requireChunks(int rank, String attribute, int declared, int needed) {
    if (declared != 0 && declared != needed && !(header.inPlace() && declared == header.chunks())) {
      throw new ScheduleFormatException(file + ": gpu " + rank + ": " + attribute + " is " + declared + ", but "
          + op().key() + " on " + ranks() + " ranks with nchunksperloop " + header.chunks() + " has " + needed);
    }
  }

  private RankSteps steps(Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    List<int[]> numbers = new ArrayList<>();
    for (ThreadBlock block : gpus.get(rank).blocks()) {
      int number = steps.threadBlock(block.channel(), block.send(), block.receive());
      numbers.add(block.steps().stream().mapToInt(line -> add(steps, number, line)).toArray());
    }
    for (int block = 0; block < numbers.size(); block++) {
      List<Line> lines = gpus.get(rank).blocks().get(block).steps();
      for (int i = 0; i < lines.size(); i++) {
        steps.after(numbers.get(block)[i], dependency(numbers, lines.get(i)));
      }
    }
    return steps.build();
  }

  private static int add(RankStepsBuilder steps, int block, Line line) {
    try {
      StepKind kind = line.kind();
      return steps.step(block, kind,
          kind.readsSource() ? new ChunkRange(buffer(line.source()), line.sourceSlot(), line.count()) : null,
          kind.writesTarget() ? new ChunkRange(buffer(line.target()), line.targetSlot(), line.count()) : null);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("line " + line.line() + ": " + e.getMessage(), e);
    }
  }

  private static Buffer buffer(String letter) {
    return Arrays.stream(Buffer.values()).filter(buffer -> buffer.letter().equals(letter)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no buffer '" + letter + "'; write i, o or s"));
  }

  private static int dependency(List<int[]> numbers, Line line) {
    if (line.dependencyBlock() == RankSteps.NONE) {
      return RankSteps.NONE;
    }
    int block = line.dependencyBlock();
    int step = line.dependencyStep();
    if (block < 0 || block >= numbers.size() || step < 0 || step >= numbers.get(block).length) {
      throw new IllegalArgumentException(
          "line " + line.line() + ": there is no thread block " + block + " with a step " + step + " to depend on");
    }
    return numbers.get(block)[step];
  }
}
