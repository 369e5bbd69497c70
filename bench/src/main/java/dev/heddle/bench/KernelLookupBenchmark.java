package dev.heddle.bench;

import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelLookup;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.TableId;
import dev.heddle.units.RandomStream;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Look-ups of kernel times at shapes that were not measured, among 1,024 of them; and the start of the library. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class KernelLookupBenchmark {
  private static final int SHAPES = 1024;

  /** Kinds of kernels: three coordinates, five and six. */
  @Param({"gemm", "attention-decode", "experts"})
  public String kind;

  private KernelLookup lookup;
  private long[][] shapes;
  private int next;

  /** Opens the table and asks for every shape once. */
  @Setup
  public void open() {
    KernelLibrary library = KernelLibrary.load(KernelLookupBenchmark.class.getClassLoader());
    KernelKind wanted = KernelKind.of(kind);
    TableId id = library.tables().stream().filter(each -> each.kind() == wanted && each.gpu().equals("h100-sxm")
        && each.format() == NumberFormat.BF16).findFirst().orElseThrow();
    lookup = library.table(id).lookup();
    RandomStream random = RandomStream.of(1, "bench", kind);
    shapes = new long[SHAPES][];
    for (int i = 0; i < SHAPES; i++) {
      long[] shape = library.table(id).shape(random.nextInt(library.table(id).rows()));
      shape[0] += 1 + random.nextInt(1 + (int) shape[0] / 2);
      shapes[i] = shape;
      lookup.seconds(shape);
    }
  }

  /** One look-up. */
  @Benchmark
  public double seconds() {
    next = (next + 1) & (SHAPES - 1);
    return lookup.seconds(shapes[next]);
  }

  /** The start of the library: data sheets and the names of all tables. */
  @Benchmark
  public int start() {
    return KernelLibrary.load(KernelLookupBenchmark.class.getClassLoader()).tables().size();
  }
}
