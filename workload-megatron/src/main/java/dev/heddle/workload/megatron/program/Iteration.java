package dev.heddle.workload.megatron.program;

import dev.heddle.collective.Group;
import dev.heddle.kernel.Basis;
import dev.heddle.kernel.Bound;
import dev.heddle.kernel.KernelEstimate;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import dev.heddle.spi.Processor;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelClass;
import dev.heddle.workload.megatron.kernel.KernelPower;
import dev.heddle.workload.megatron.kernel.KernelShares;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.kernel.LibraryTimes;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.kernel.Roofline;
import dev.heddle.workload.megatron.kernel.ScaledKernels;
import dev.heddle.workload.megatron.kernel.SharedLibrary;
import dev.heddle.workload.megatron.parallel.GraphScope;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.HostTime;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.parallel.Variation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** One iteration of a training job on a cluster: its ranks and their programs. Immutable. */
public final class Iteration {
  private static final double PS_PER_SECOND = 1e12;
  private static final double FLOP_PER_TFLOP = 1e12;
  private static final double BYTES_PER_GIB = 1 << 30;

  private final Training training;
  private final int[] terminals;
  private final Accelerator accelerator;
  private final RankGrid grid;
  private final Optional<LibraryTimes> library;
  private final KernelTimes times;
  private final double slowNodes;
  private final int nodeSize;
  private final HostWork host;
  private final List<StagePlan> plans;
  private final TrainingProgram.Job job;

  /**
   * Plans an iteration.
   *
   * @param training the job
   * @param cluster the machine
   * @throws InvalidSettingException when the machine lacks accelerators, or job and machine do not fit
   */
  public Iteration(Training training, Cluster cluster) {
    this(training, cluster, Speedup.NONE);
  }

  /**
   * Plans an iteration on a machine of which one resource is faster. Collectives are not part of the plan: their
   * times make them faster.
   *
   * @param training the job
   * @param cluster the machine
   * @param speedup of one of its resources
   * @throws InvalidSettingException when the machine lacks accelerators, or job and machine do not fit
   */
  public Iteration(Training training, Cluster cluster, Speedup speedup) {
    this.training = training;
    terminals = terminals(training, cluster);
    accelerator = cluster.accelerator(terminals[0]).orElseThrow(() -> new InvalidSettingException(
        "", "the cluster does not say what its accelerators are; give its nodes an accelerator preset"));
    grid = new RankGrid(training.parallel(), terminals.length, expertNode(training, terminals, cluster));
    requireFormat();
    if (training.variation().stragglers() > grid.ranks()) {
      throw new InvalidSettingException("variation.stragglers",
          training.variation().stragglers() + " stragglers are more than the job's " + grid.ranks() + " ranks");
    }
    if (training.checkMemory()) {
      requireMemory();
    }
    library = library();
    double launch = training.execution().hostPerKernel().orElseGet(() -> HostTime.on(host(cluster))).seconds();
    host = new HostWork(launch / speedup.of(Resource.HOST),
        training.execution().offloadLayers() == 0 ? HostCopies.NONE : HostCopies.of(cluster, terminals));
    KernelTimes known = training.kernels().measured(accelerator.name(), this::kernels, modelled());
    times = speedup.equals(Speedup.NONE) ? known : kernel -> known.seconds(kernel) / speedup.of(limiting(kernel));
    int nodes = Math.toIntExact(Arrays.stream(terminals).map(cluster::node).distinct().count());
    nodeSize = cluster.terminals(DeviceKind.ACCELERATOR).length / cluster.nodes();
    slowNodes = training.variation().expectedFactor(nodes);
    StagePlanner planner = new StagePlanner(training, grid, kernel -> slowNodes * times.seconds(kernel),
        Contention.of(training.execution(), grid, cluster, terminals), nodeSize, host);
    plans = IntStream.range(0, training.parallel().pipeline()).mapToObj(planner::plan).toList();
    job = new TrainingProgram.Job(
        grid, planner.micros(), training.parallel().pipeline(), training.parallel().chunks(), planner.messageBytes(),
        hostKind(),
        sendPs(cluster, Math.round(planner.messageBytes() / speedup.of(Resource.MESSAGES))));
  }

  // Members of the first expert-parallel group on one node, where all nodes hold the same number; else 1.
  private static int expertNode(Training training, int[] terminals, Cluster cluster) {
    int expert = training.parallel().expert();
    int[] members = new RankGrid(training.parallel(), terminals.length).members(GroupKind.EXPERT, 0);
    int run = 1;
    while (run < expert && cluster.node(terminals[members[0]]) == cluster.node(terminals[members[run]])) {
      run++;
    }
    for (int member = 0; member < expert; member++) {
      int first = members[member / run * run];
      if (expert % run != 0 || cluster.node(terminals[first]) != cluster.node(terminals[members[member]])) {
        return 1;
      }
    }
    return run;
  }

  // The processor of the first rank's node.
  private Optional<Processor> host(Cluster cluster) {
    int node = cluster.node(terminals[0]);
    return Arrays.stream(cluster.terminals(DeviceKind.CPU)).filter(cpu -> cluster.node(cpu) == node).boxed()
        .findFirst().flatMap(cluster::processor);
  }

  private HostStream.Kind hostKind() {
    if (host.kernelSeconds() == 0 || training.execution().launchBlocking()) {
      return HostStream.Kind.NONE;
    }
    boolean waits = training.parallel().pipeline() > 1 && !training.execution().messageOverlap()
        && !training.execution().graphs().contains(GraphScope.FULL_ITERATION);
    return waits ? HostStream.Kind.SYNCHRONOUS : HostStream.Kind.AHEAD;
  }

  /** The kernels of an iteration, in the order of the passes: one of each stage and pass. */
  public List<Kernel> kernels() {
    List<Kernel> kernels = new ArrayList<>();
    StagePlanner listing = new StagePlanner(training, grid, kernel -> {
      kernels.add(kernel);
      return 0;
    }, Contention.NONE, nodeSize, host);
    IntStream.range(0, training.parallel().pipeline()).forEach(listing::plan);
    return List.copyOf(kernels);
  }

  /** Times of kernels on the job's accelerators, each alone on the accelerator. */
  public KernelTimes times() {
    return times;
  }

  // The roofline states the greater of two times, and not which one.
  private Resource limiting(Kernel kernel) {
    Optional<KernelEstimate> estimate =
        library.map(known -> known.estimate(kernel)).filter(known -> known.basis() != Basis.MODELLED);
    Bound bound = estimate.map(KernelEstimate::bound)
        .orElse(kernel.kind() == KernelClass.MEMORY ? Bound.MEMORY : Bound.COMPUTE);
    return switch (bound) {
      case COMPUTE -> Resource.ARITHMETIC;
      case MEMORY -> Resource.MEMORY;
      case LATENCY -> Resource.KERNEL_LATENCY;
    };
  }

  /** The bases of the kernel times. */
  public KernelShares kernelShares() {
    return KernelShares.of(kernels(), times, library);
  }

  /** The power of the job's kernels on one accelerator; empty where that of the accelerator is not known. */
  public Optional<KernelPower> kernelPower() {
    return library.flatMap(known -> known.power(kernels()));
  }

  // Matrix units that apply scales of blocks multiply 4 bits too. Blackwell's have NVFP4, whose scales CDNA 4's do not
  // apply [meta-pytorch/MSLK, pull request 381]; Transformer Engine trains in MXFP4 on CDNA 4 alone.
  private void requireFormat() {
    LinearFormat format = training.execution().precision();
    if (!format.scaledByBlocks()) {
      return;
    }
    Accelerator counted = training.kernelsOf().orElse(accelerator);
    boolean missing = SharedLibrary.get().gpus().find(counted.name())
        .map(gpu -> !gpu.multiplies(NumberFormat.NVFP4)).orElse(true);
    if (missing) {
      throw new InvalidSettingException("execution.precision", format.number().id() + " needs matrix units that apply"
          + " scales of blocks, as Blackwell's and CDNA 4's do; " + counted.name()
          + " has none; fp8 and bf16 need none");
    }
    boolean amd = counted.vendor() == Vendor.AMD;
    if (format.fourBits() && amd != (format == LinearFormat.MXFP4)) {
      throw new InvalidSettingException("execution.precision", format.number().id() + " is trained on "
          + (amd ? "Blackwell" : "CDNA 4") + " alone; on " + counted.name() + " products in 4 bits are "
          + (amd ? NumberFormat.MXFP4 : NumberFormat.NVFP4));
    }
  }

  private Optional<LibraryTimes> library() {
    return training.kernelsOf().isEmpty() && training.kernels().library()
        ? Optional.of(new LibraryTimes(SharedLibrary.get(), accelerator, training.kernels(),
            new Roofline(accelerator, training.kernels()),
            training.variation().expectedClockLoss(grid.ranks())))
        : Optional.empty();
  }

  private KernelTimes modelled() {
    if (library.isPresent()) {
      return library.get();
    }
    if (training.kernelsOf().isEmpty()) {
      return new Roofline(accelerator, training.kernels());
    }
    Accelerator measured = training.kernelsOf().get();
    return new ScaledKernels(
        new Roofline(measured, training.kernels()), measured, accelerator, training.execution().precision().stated());
  }

  private void requireMemory() {
    for (int stage = 0; stage < training.parallel().pipeline(); stage++) {
      MemoryUse use = memory(stage);
      if (use.bytes() > accelerator.memory().bytes()) {
        throw new InvalidSettingException("check-memory",
            "the job does not fit: stage " + stage + " needs " + use + "; "
                + accelerator.name() + " has " + accelerator.memory()
                + ". Recompute more (%s), share more states (%s), divide the model into more parts (%s, %s), or leave"
                + " the check out (%s)",
            "execution.recompute", "parallel.sharding", "parallel.tensor",
            "parallel.pipeline", "check-memory");
      }
    }
  }

  /** The memory that a rank of a stage needs at most. */
  public MemoryUse memory(int stage) {
    return MemoryUse.of(training, grid, StagePlanner.micros(training, grid), stage);
  }

  // A send occupies its stream until the slowest link has carried it and the concurrent sends of the node's other
  // ranks.
  private long[][] sendPs(Cluster cluster, long bytes) {
    int stages = training.parallel().pipeline();
    long[][] waits = new long[stages][2];
    for (int stage = 0; stage < stages && stages > 1 && !training.execution().messageOverlap(); stage++) {
      waits[stage][0] = sendPs(cluster, bytes, stage, Math.floorMod(stage + 1, stages));
      waits[stage][1] = sendPs(cluster, bytes, stage, Math.floorMod(stage - 1, stages));
    }
    return waits;
  }

  private long sendPs(Cluster cluster, long bytes, int stage, int peer) {
    Map<Integer, Integer> messages = new LinkedHashMap<>();
    for (int rank : grid.concurrentSenders(grid.atStage(0, stage), other -> cluster.node(terminals[other]))) {
      for (int link : cluster.route(terminals[rank], terminals[grid.atStage(rank, peer)])) {
        messages.merge(link, 1, Integer::sum);
      }
    }
    long wait = 0;
    for (int link : cluster.route(terminals[grid.atStage(0, stage)], terminals[grid.atStage(0, peer)])) {
      wait = Math.max(wait, cluster.linkModel(link).rate().wirePs(bytes * messages.getOrDefault(link, 1)));
    }
    return wait;
  }

  // The first accelerators of each node.
  private static int[] perNode(Cluster cluster, int most) {
    Map<Integer, Integer> taken = new LinkedHashMap<>();
    int[] first = Arrays.stream(cluster.terminals(DeviceKind.ACCELERATOR))
        .filter(terminal -> taken.merge(cluster.node(terminal), 1, Integer::sum) <= most).toArray();
    int present = taken.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    if (most > present) {
      throw new InvalidSettingException(
          "ranks-per-node", most + " are more than the " + present + " accelerators of a node");
    }
    return first;
  }

  /**
   * The terminals of a job's ranks, in order.
   *
   * @throws InvalidSettingException when the machine lacks accelerators, or its nodes do, or the degrees of
   *     parallelism do not divide them
   */
  public static int[] terminals(Training training, Cluster cluster) {
    int[] present = training.ranksPerNode().map(most -> perNode(cluster, most))
        .orElseGet(() -> cluster.terminals(DeviceKind.ACCELERATOR));
    int count = training.ranks().orElse(present.length);
    if (count < 1 || count > present.length) {
      throw new InvalidSettingException(
          "ranks", count + " ranks; the cluster has " + present.length + " accelerators"
              + (training.ranksPerNode().isPresent() ? " with " + training.ranksPerNode().get() + " of each node"
                  : ""));
    }
    RankGrid.requireMultiple(training.parallel(), count, present.length);
    return Arrays.copyOf(present, count);
  }

  /** The job. */
  public Training training() {
    return training;
  }

  /** The terminal of each rank; the caller's own copy. */
  public int[] terminals() {
    return terminals.clone();
  }

  /** The accelerator of each rank. */
  public Accelerator accelerator() {
    return accelerator;
  }

  /** Micro-batches of an iteration on each rank. */
  public int micros() {
    return job.micros();
  }

  /** The places of ranks in the dimensions of parallelism. */
  public RankGrid grid() {
    return grid;
  }

  /** All groups, by number. */
  public List<Group> groups() {
    return grid.groups();
  }

  /** A new program of a rank, without jitter. */
  public Program program(int rank) {
    return program(rank, Jitter.PLANNED);
  }

  /** A new program of a rank, with its jitter and slowdown. */
  public Program program(int rank, WorkloadContext context) {
    Variation variation = training.variation();
    if (!variation.present()) {
      return program(rank);
    }
    boolean slow = variation.slow(grid.ranks(), context.random(0, "stragglers")).contains(rank);
    return program(rank, Jitter.of(variation, slow, context.random(rank, "kernels")));
  }

  private Program program(int rank, Jitter pace) {
    return new TrainingProgram(job, plans.get(grid.stage(rank)), rank, pace);
  }

  /** The categories of ranks' time. */
  public static List<Workload.Activity> activities() {
    return Arrays.stream(Activity.values())
        .map(activity -> new Workload.Activity(activity.id(), activity.title())).toList();
  }

  /** The pass that a number in programs denotes. */
  public Workload.Pass pass(int number) {
    int chunk = PipelineSlots.chunk(number);
    String label = PipelineSlots.micro(number) + (training.parallel().chunks() > 1 ? "." + chunk : "");
    return switch (PipelineSlots.kind(number)) {
      case PipelineSlots.FORWARD -> new Workload.Pass("Forward", label);
      case PipelineSlots.BACKWARD -> new Workload.Pass("Backward", label);
      case PipelineSlots.WEIGHTS -> new Workload.Pass("Weight gradients", label);
      default -> new Workload.Pass("Update", "");
    };
  }

  /** The name of a stream of the programs. */
  public String stream(int stream) {
    List<GroupKind> kinds = TrainingProgram.overlappingKinds(grid);
    boolean copying = training.execution().offloadLayers() > 0 && stream == kinds.size() + 1;
    return stream == 0 ? "compute" : stream <= kinds.size() ? kinds.get(stream - 1).title() : copying ? "copies"
        : "host";
  }

  /** Tokens of an iteration. */
  public double tokens() {
    return (double) training.batch().sequences(grid.data()) * training.shape().sequence();
  }

  /** Tokens per second of the whole job, by the seconds of an iteration. */
  public double tokensPerSecond(double seconds) {
    return tokens() / seconds;
  }

  /** Floating-point operations of the model per second and accelerator, without recomputation. */
  public double flopsPerSecond(double seconds) {
    return tokensPerSecond(seconds) * flopsPerToken() / grid.ranks();
  }

  // Frozen matrices have no gradients, which are a third of the operations.
  private double flopsPerToken() {
    return training.shape().flopsPerToken() * (training.lora().isPresent() ? 2.0 / 3 : 1);
  }

  /** The share of the accelerator's peak rate of 16 bits (MFU). */
  public double utilization(double seconds) {
    return flopsPerSecond(seconds) / accelerator.peak(Precision.BF16)
        .or(() -> accelerator.peak(Precision.FP16)).orElseThrow().flopPerSecond();
  }

  /** The stage whose ranks need the most memory. */
  public int fullestStage() {
    return IntStream.range(0, training.parallel().pipeline()).boxed()
        .max(
            Comparator.comparingLong((Integer stage) -> memory(stage).bytes()).thenComparing(Comparator.reverseOrder()))
        .orElseThrow();
  }

  /** The metrics of an iteration, by its picoseconds. */
  public List<Metric> figures(long ps) {
    double seconds = ps / PS_PER_SECOND;
    return figures(
        seconds, tokensPerSecond(seconds), flopsPerSecond(seconds) / FLOP_PER_TFLOP, 100 * (slowest() - 1),
        100 * utilization(seconds), memory(fullestStage()).bytes() / BYTES_PER_GIB);
  }

  // Kernel times of the slowest accelerator over those of the mean.
  private double slowest() {
    List<Kernel> kernels = kernels();
    double waited = kernels.stream().mapToDouble(times::seconds).sum();
    double mean = library.map(known -> kernels.stream().mapToDouble(known::meanSeconds).sum()).orElse(waited);
    return slowNodes * waited / mean;
  }

  /** The metrics of every iteration, without values. */
  public static List<Metric> declaredFigures() {
    return figures(0, 0, 0, 0, 0, 0);
  }

  private static List<Metric> figures(
      double seconds, double tokensPerSecond, double teraflops, double slowest, double utilization, double memory) {
    return List.of(
        new Metric("iteration", "Iteration", "s", seconds),
        new Metric("tokens-per-second", "Tokens a second", "1/s", tokensPerSecond),
        new Metric("model-rate", "Model operations per accelerator", "Tflop/s", teraflops),
        new Metric("slow-devices", "Kernel time by slow devices, expected", "%", slowest),
        new Metric("mfu", "MFU of the 16-bit peak", "%", utilization),
        new Metric("memory", "Memory of the fullest accelerator", "GiB", memory));
  }
}
