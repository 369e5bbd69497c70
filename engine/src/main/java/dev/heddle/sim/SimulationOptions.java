package dev.heddle.sim;

import com.google.common.collect.ImmutableList;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Execution and measurement of a run.
 *
 * @param warmup time before the measured window
 * @param measure length of the measured window; absent: run until all programs have ended and everything is delivered
 * @param granularity the unit of transmission
 * @param burst the most payload of a burst
 * @param injectionQueue messages that a rank's injection queue holds; an open-loop message that finds it full is
 *     refused and counted
 * @param partitions parts of the fabric that own their state, 0 for as many as make the run short; the results do not
 *     depend on it
 * @param threads threads that run the partitions; the results do not depend on it
 * @param limit simulated time after which a run to completion is given up
 * @param draw messages, from the first to arrive, that the report draws in space and time; with any, the run uses one
 *     thread
 * @param trace ranks whose time is kept, to be drawn and traced
 * @param linkSeries links whose use, queue, marks and pauses are kept over time; with any, the run uses one thread
 * @param memoization of collective calls that recur undisturbed and of states that recur, at packet fidelity; of ranks
 *     that do the same, at flow fidelity
 * @param memoizationTolerance the most that the begins of a call's members and messages, and the times of its links,
 *     may differ from those of a record that is replayed, at packet fidelity; 0 where they must be equal
 * @param sampling standard error of messages' rates up to which a steady state of packets that does not recur is
 *     skipped; 0 where every packet is simulated
 */
public record SimulationOptions(
    @Setting(value = "time before the measured window", def = "0 s") SimTime warmup,
    @Setting("length of the measured window; without it the run continues until everything is "
        + "delivered") Optional<SimTime> measure,
    @Setting(value = "the unit of transmission: single packets, or bursts of a message's packets",
        def = "burst") Granularity granularity,
    @Setting(value = "the most payload of a burst", def = "4 KiB", min = "1 B", max = "1 MiB") DataSize burst,
    @Setting(value = "messages that a rank's injection queue holds; one that finds it full is refused and counted",
        def = "1024", min = "1", max = "1000000000") int injectionQueue,
    @Setting(value = "parts of the fabric that own their state; 0: as many as make the run short; changes no result",
        def = "0", min = "0", max = "4096") int partitions,
    @Setting(value = "threads that run the partitions; changes no result", def = "1", min = "1",
        max = "1024") int threads,
    @Setting(value = "simulated time after which a run to completion is given up", def = "1 h") SimTime limit,
    @Setting(value = "messages, from the first to arrive, that the report draws in space and time; with any, the run "
        + "uses one thread",
        def = "0", min = "0", max = "20000") int draw,
    @Setting(value = "ranks whose time is kept, drawn in the report and written as a trace", def = "[]",
        min = "0") List<Integer> trace,
    @Setting(value = "links whose use, queue, marks and pauses the report draws over time, at packet fidelity, by their"
        + " names in its table of links, such as 'node0.nic0 -> net.switch'; with any, the run uses one thread",
        def = "[]") List<String> linkSeries,
    @Setting(value = "at packet fidelity, whether a collective call that recurs on links without other traffic is "
        + "replayed in place of a simulation of its packets, and, in one partition, periods in which the state of "
        + "packets recurs are skipped: none, replay, or verify, which simulates all packets too and compares; at flow "
        + "fidelity, from 256 ranks on, whether one rank runs for all that do the same at the same times, "
        + "with the same choices; changes no result but the number of events and the fingerprint there",
        def = "replay") Memoization memoization,
    @Setting(
        value = "at packet fidelity, in one partition, the time by which the begins of a call's members and messages "
            + "may differ from those of a recorded call that is replayed in place of a simulation, such as 5 us, with "
            + "an estimate of the error among the metrics; 0: results are those of every packet",
        def = "0 s", max = "1 ms") SimTime memoizationTolerance,
    @Setting(value = "at packet fidelity, in one partition and without a transport, the standard error of messages' "
        + "rates up to which a steady state that does not recur, as under drawn or adaptive routes, is skipped; such "
        + "as 0.5 %, with the error that follows among the metrics; 0: every packet is simulated",
        def = "0 %", min = "0", max = "10 %") Fraction sampling) {
  private static final long MOST_TOLERANCE_PS = 1_000_000_000;

  /**
   * Copies the list.
   *
   * @throws InvalidSettingException when results are to be verified that are not exact, or a tolerance is of replays
   *     that there are none of
   */
  public SimulationOptions {
    if (memoizationTolerance.ps() < 0 || memoizationTolerance.ps() > MOST_TOLERANCE_PS) {
      throw new InvalidSettingException("memoizationTolerance", memoizationTolerance + "; allowed: 0 s to 1 ms");
    }
    if (memoization != Memoization.REPLAY && memoizationTolerance.ps() > 0) {
      throw new InvalidSettingException("memoizationTolerance", memoization == Memoization.VERIFY
          ? "replays within a tolerance are not exact, so that memoization: verify cannot compare them; leave one of"
              + " both out"
          : "a tolerance is of calls that are replayed, of which memoization: none has none; leave one of both out");
    }
    if (memoization == Memoization.VERIFY && sampling.value() > 0) {
      throw new InvalidSettingException("sampling",
          "samples are not exact, so that memoization: verify cannot compare them; leave one of both out");
    }
    trace = ImmutableList.copyOf(trace);
    linkSeries = ImmutableList.copyOf(linkSeries);
  }

  /** Replay of collective calls that recur on links without other traffic, and of ranks that do the same. */
  public enum Memoization {
    /** Every packet and every rank is simulated. */
    NONE,
    /** Calls are replayed, and ranks stand for others. */
    REPLAY,
    /** The same, and the results are compared with those of a run in which every packet and rank is simulated. */
    VERIFY
  }

  /** The unit of transmission. */
  public enum Granularity {
    /** Every packet (TLP, MTU packet) of its own. */
    PACKET,
    /** The packets of a message, up to a limit, as one burst. */
    BURST
  }

  /** The defaults: a run to completion in bursts of 4 KiB, on one thread. */
  public static SimulationOptions defaults() {
    return new SimulationOptions(
        SimTime.ZERO, Optional.empty(), Granularity.BURST, DataSize.ofKiB(4), 1024, 1, 1, SimTime.parse("1 h"), 0,
        List.of(), List.of(), Memoization.REPLAY, SimTime.ZERO, Fraction.of(0));
  }

  /**
   * The reason why a rank cannot be traced; empty where the run has it.
   *
   * @param rank to trace
   * @param ranks of the run
   */
  public static Optional<String> refusedTrace(int rank, int ranks) {
    return rank >= 0 && rank < ranks ? Optional.empty()
        : Optional.of("rank " + rank + " is not of the run's " + ranks + " ranks, from 0");
  }

  /** The options with bursts of at most a size. */
  public SimulationOptions burst(DataSize most) {
    return with(draft -> draft.burst = most);
  }

  /** The options with a warm-up and a measured window. */
  public SimulationOptions window(SimTime newWarmup, SimTime newMeasure) {
    return with(draft -> {
      draft.warmup = newWarmup;
      draft.measure = Optional.of(newMeasure);
    });
  }

  /** The options with another granularity. */
  public SimulationOptions granularity(Granularity value, DataSize newBurst) {
    return with(draft -> {
      draft.granularity = value;
      draft.burst = newBurst;
    });
  }

  /** The options with another division into partitions and threads. */
  public SimulationOptions parallel(int newPartitions, int newThreads) {
    return with(draft -> {
      draft.partitions = newPartitions;
      draft.threads = newThreads;
    });
  }

  /** The options with a number of messages to draw. */
  public SimulationOptions draw(int messages) {
    return with(draft -> draft.draw = messages);
  }

  /** The options with another limit of simulated time. */
  public SimulationOptions limit(SimTime most) {
    return with(draft -> draft.limit = most);
  }

  /** The options with ranks whose time is recorded. */
  public SimulationOptions trace(List<Integer> ranks) {
    return with(draft -> draft.trace = ranks);
  }

  /** The options with another injection queue. */
  public SimulationOptions injectionQueue(int messages) {
    return with(draft -> draft.injectionQueue = messages);
  }

  /** The options with another memoization of collective calls. */
  public SimulationOptions memoization(Memoization value) {
    return with(draft -> draft.memoization = value);
  }

  /** The options with another tolerance of the begins of calls that are replayed. */
  public SimulationOptions memoizationTolerance(SimTime value) {
    return with(draft -> draft.memoizationTolerance = value);
  }

  /** The options with another tolerance of sampled rates. */
  public SimulationOptions sampling(Fraction value) {
    return with(draft -> draft.sampling = value);
  }

  private SimulationOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.freeze();
  }

  /** Mutable options, which a change alters before they are frozen again. */
  private static final class Draft {
    private SimTime warmup;
    private Optional<SimTime> measure;
    private Granularity granularity;
    private DataSize burst;
    private int injectionQueue;
    private int partitions;
    private int threads;
    private SimTime limit;
    private int draw;
    private List<Integer> trace;
    private List<String> linkSeries;
    private Memoization memoization;
    private SimTime memoizationTolerance;
    private Fraction sampling;

    Draft(SimulationOptions options) {
      warmup = options.warmup;
      measure = options.measure;
      granularity = options.granularity;
      burst = options.burst;
      injectionQueue = options.injectionQueue;
      partitions = options.partitions;
      threads = options.threads;
      limit = options.limit;
      draw = options.draw;
      trace = options.trace;
      linkSeries = options.linkSeries;
      memoization = options.memoization;
      memoizationTolerance = options.memoizationTolerance;
      sampling = options.sampling;
    }

    SimulationOptions freeze() {
      return new SimulationOptions(
          warmup, measure, granularity, burst, injectionQueue, partitions, threads, limit, draw, trace,
          linkSeries, memoization, memoizationTolerance, sampling);
    }
  }
}
