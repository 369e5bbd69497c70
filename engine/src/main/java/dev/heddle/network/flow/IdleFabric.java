package dev.heddle.network.flow;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.Measurements;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.network.RunOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Single messages and single collectives on an otherwise idle fabric, evaluated by the rules of the flow network: a
 * message moves at the rate of the slowest link of its path, and the messages or pipelines of one collective share
 * links with each other and with nothing else.
 */
public final class IdleFabric {
  private final FlowPlan plan;
  private final PathPlanner paths;
  private final int burstBytes;
  private final long seed;

  /**
   * Compiles a fabric.
   *
   * @param burstBytes the most payload of a burst of packets; 0: single packets
   * @param seed of random routes
   * @param transport protocol between terminals, in its steady state; null for none
   */
  public IdleFabric(Fabric fabric, int burstBytes, long seed, @Nullable TransportProtocol transport) {
    plan = new FlowPlan(fabric, burstBytes, transport, false);
    paths = new PathPlanner(plan, new FairShare(plan.links), seed);
    this.burstBytes = burstBytes;
    this.seed = seed;
  }

  /** A warning about parts of a transport protocol that its steady state leaves out, where there is one. */
  public static List<String> warnings(String fidelity, RunOptions options) {
    return options.transport() == null ? List.of() : List.of("fidelity " + fidelity
        + " has no packets: of the transport"
        + " protocol it has the steady state (headers, acknowledgements, telemetry, spraying, target utilisation), not"
        + " queues, losses, unfairness and the time until rates converge; write fidelity: packet for these");
  }

  /** A warning about what flows leave out of a transport protocol, where there is one. */
  static List<String> flowWarnings(String fidelity, RunOptions options) {
    return options.transport() == null || !options.transport().suitsFluid() ? warnings(fidelity, options)
        : List.of("fidelity " + fidelity + " has no packets: it runs the transport protocol's control of rates on fluid"
            + " queues, which ends incasts at one switch within 4 % of packets in the mean and single patterns on a"
            + " fabric within two fifths, and leaves out losses; write fidelity: packet for these");
  }

  /** The number of directed links. */
  public int links() {
    return plan.links;
  }

  /**
   * Plans the path of a message; the methods below then tell of it, up to the next call.
   *
   * @param id number of the message, by which paths are chosen
   * @param trafficClass 0 to 7
   * @return the virtual channel by which it leaves its source, 0 to {@link #channels()}{@code  - 1}
   */
  public int plan(long id, int destination, long bytes, int trafficClass) {
    int source = MessageNumbers.source(id);
    int waypoint = plan.fabric.nextWaypoint(source, id, destination);
    int chosen = paths.choose(source, waypoint, RouteFunction.NONE, id, destination);
    int link = TierPlan.linkOf(chosen);
    paths.plan(link, id, destination, bytes, trafficClass);
    return plan.channel(chosen, trafficClass);
  }

  /** The number of virtual channels of all links. */
  public int channels() {
    return plan.channels;
  }

  /** The links of the planned path. */
  public int hops() {
    return paths.hops();
  }

  /** The links of the planned path and of its acknowledgements. */
  public int loadedLinks() {
    return paths.count();
  }

  /** A link of the planned path, or, from {@link #hops()} on, one that carries its acknowledgements. */
  public int link(int number) {
    return paths.links()[number];
  }

  /** The first virtual channel of such a link, among those of all links. */
  public int channel(int number) {
    return plan.firstChannel[link(number)];
  }

  /** Wire time on such a link per byte of payload, in picoseconds. */
  public double psPerByte(int number) {
    return paths.weights()[number];
  }

  /** Crossings of a link by each byte of payload: 1, but for the bus of a memory. */
  public double crossings(int number) {
    return plan.crossings(link(number), psPerByte(number));
  }

  /** Time for which the planned message occupies the slowest link of its path, in picoseconds. */
  public long occupiedPs() {
    return paths.occupiedPs();
  }

  /**
   * Time for which the planned message occupies its path where others have left before it, in picoseconds.
   *
   * @param outPs until all credits are back that these have taken: the sum of {@link #creditPs} of those
   */
  public long occupiedPs(long bytes, long outPs) {
    int slowest = paths.credited.slowest();
    return slowest < 0 || outPs <= 0 ? paths.occupiedPs()
        : Math.max(paths.occupiedPs(), Math.round(paths.credited.occupiedPs(
            slowest, bytes, Math.max(0, 1 - outPs / paths.credited.rounds[slowest]))));
  }

  /** Time in which the credits come back that the planned message takes of the link that lets it have the least. */
  public long creditPs(long bytes) {
    CreditedLinks all = paths.credited;
    int slowest = all.slowest();
    return slowest < 0 ? 0 : Math.round(all.carried[slowest] * bytes * all.rounds[slowest] / all.buffers[slowest]);
  }

  /** Time from departure to delivery of the planned message, in picoseconds. */
  public long zeroLoadPs() {
    return paths.zeroLoadPs();
  }

  /**
   * A collective by itself, all of whose members arrive at once.
   *
   * @param timePs from their arrival to the end of the last member's part, in picoseconds
   * @param intraBytes payload delivered within nodes
   * @param interBytes payload delivered between nodes
   * @param load of the links that carried anything
   */
  public record Evaluation(long timePs, long intraBytes, long interBytes, LinkLoad load) {}

  /**
   * Evaluates a collective by itself.
   *
   * @param groups of the run
   * @param call of one of them
   * @throws dev.heddle.spi.InvalidSettingException when the algorithm cannot serve the call
   */
  public Evaluation evaluate(CollectiveGroups groups, CollectiveCall call) {
    int size = groups.group(call.group()).size();
    int[] members = IntStream.range(0, size).map(position -> groups.terminal(call.group(), position)).toArray();
    int[] aggregators = Arrays.stream(plan.fabric.terminals(DeviceKind.AGGREGATOR))
        .filter(terminal -> Arrays.stream(members).noneMatch(member -> member == terminal)).toArray();
    int[] all = IntStream.concat(Arrays.stream(members), Arrays.stream(aggregators)).toArray();
    CollectiveGroups alone = new CollectiveGroups(
        plan.fabric, all, List.of(Group.ofFirst(size)), exchanges(call, size),
        (cluster, group) -> collective -> groups.plan(call));
    Job job = new Job(all, rank -> rank < size ? new Once(call) : new Once(null), alone);
    FlowNetwork network =
        new FlowNetwork(plan, job, RunOptions.toCompletion(burstBytes, 1 << 20, Long.MAX_VALUE, seed));
    network.run();
    return measured(network.measurements());
  }

  // The nested group asks for its all_to_all_v by the number 0; the plan is that of the run's own call.
  private static List<Collective> exchanges(CollectiveCall call, int size) {
    return call.op() == CollectiveOp.ALL_TO_ALL_V ? List.of(Collective.allToAllV(new long[size][size])) : List.of();
  }

  private Evaluation measured(Measurements measured) {
    return new Evaluation(
        measured.endPs(), measured.deliveredBytes(Meter.INTRA), measured.deliveredBytes(Meter.INTER),
        LinkLoad.of(measured.counters(), plan.links, measured.hops()));
  }

  /** Program of a member: the collective, once; of an aggregator: nothing. */
  private static final class Once implements Program {
    private final @Nullable CollectiveCall call;
    private boolean done;

    Once(@Nullable CollectiveCall call) {
      this.call = call;
      done = call == null;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (done || call == null) {
        return false;
      }
      done = true;
      if (call.op() == CollectiveOp.ALL_TO_ALL_V) {
        operation.allToAllV(0, 0, call.bytes());
      } else {
        operation.collective(0, call.op(), call.bytes(), call.root());
      }
      return true;
    }
  }
}
