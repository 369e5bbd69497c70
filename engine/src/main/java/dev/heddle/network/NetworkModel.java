package dev.heddle.network;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.observe.NetworkObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fidelity: the level of detail at which a network moves the messages and collectives of programs over a fabric.
 *
 * <ul>
 * <li>NETWORK-1: {@link #id()} MUST be the id of the model's provider; results state it.
 * <li>NETWORK-2: a run to completion MUST deliver every message that was submitted, whole and once, and MUST resume
 * every program that waits for a delivery or a collective. Bytes delivered equal bytes submitted.
 * <li>NETWORK-3: a run MUST be a function of its fabric, job and options alone, whatever ran before it; the number of
 * partitions and threads MUST change nothing but its duration.
 * <li>NETWORK-4: a message MUST NOT arrive earlier than the latencies of the links of a path and its bytes at the rate
 * of the slowest one allow.
 * <li>NETWORK-5: no link may be busy for longer than the measured window, where messages contend for links.
 * <li>NETWORK-6: a run whose {@link RunOptions#windowEndPs()} is set MUST end there. A run to completion MUST throw
 * {@link NetworkException} when programs stall or the limit is reached, and for a fabric that it cannot model.
 * <li>NETWORK-7: {@link #warnings} MUST name each part of the options that the model leaves out though it changes
 * results at other fidelities, unless a run is refused for it.
 * <li>NETWORK-8: {@link #requireFits} MUST accept every fabric on which the model's settings can run.
 * </ul>
 */
public interface NetworkModel {
  /** The id of the provider, by which results name the fidelity. */
  String id();

  /**
   * A network with programs on it, at time 0.
   *
   * @param fabric the cluster
   * @param job programs and groups of the ranks
   * @param options of the run
   * @param observer of transmissions and deliveries, called on one thread; null for none
   * @throws NetworkException when the model cannot represent the fabric
   */
  Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer);

  /**
   * Requires that the settings of this model fit a fabric; scenarios ask before anything runs.
   *
   * @throws dev.heddle.spi.InvalidSettingException when they name a part that it does not have
   */
  default void requireFits(Fabric fabric) {}

  /** Whether it has packets on links, with queues of their own where a transport protocol runs. */
  default boolean hasPackets() {
    return false;
  }

  /** Warnings about parts of the options that this model leaves out, a line each. */
  default List<String> warnings(RunOptions options) {
    return options.transport() == null ? List.of() : List.of("fidelity " + id() + " has no packets: the transport"
        + " protocol has no effect on its results; write fidelity: packet, or leave out 'transport'");
  }

  /**
   * Warnings about partitions and threads that cannot shorten a run, a line each. They are no part of results, which do
   * not depend on partitions and threads.
   *
   * @param fabric the cluster
   * @param options of the run
   */
  default List<String> divisionWarnings(Fabric fabric, RunOptions options) {
    return options.partitions() <= 1 && options.threads() <= 1 ? List.of() : List.of(
        "fidelity " + id() + " runs on one thread: run.partitions and run.threads have no effect");
  }
}
