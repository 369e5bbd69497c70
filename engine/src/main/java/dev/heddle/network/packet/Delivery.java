package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.Meter;
import dev.heddle.observe.NetworkObserver;
import org.jspecify.annotations.Nullable;

/** Reassembles messages from the units that arrive at a partition's terminals. */
final class Delivery {
  private final Partition partition;
  private final Fabric fabric;
  private final RunContext setup;
  private final PacketTable units;
  private final ReverseTraffic returns;
  private final Meter meter;
  private final @Nullable NetworkObserver observer;
  private final LongLongMap reassembly = new LongLongMap(0);

  Delivery(Partition partition, NetworkPlan plan, RunContext setup) {
    this.partition = partition;
    fabric = plan.fabric;
    this.setup = setup;
    units = partition.units;
    returns = partition.returns;
    meter = partition.meter;
    observer = setup.observer;
  }

  /** Counts payload of a message, which is still incomplete, as arrived in periods that were skipped. */
  void skip(long message, long payload) {
    reassembly.add(message, payload);
  }

  /** Gives messages that have arrived in part other numbers. */
  void renumber(RelativeClock.Jump by) {
    by.renumber(reassembly);
  }

  /** A unit has reached its destination whole. */
  void deliver(int link, int unit) {
    returns.scheduleAck(link, unit);
    int held = units.heldChannel(unit);
    returns.returnCredit(held, units.heldBytes(unit), units.heldHeaders(unit), partition.queue.now());
    accept(unit);
  }

  /** Adds the payload of a unit, which has left the network, to its message. */
  void accept(int unit) {
    long now = partition.queue.now();
    int payload = units.payload(unit);
    int source = units.source(unit);
    int destination = units.destination(unit);
    int kind = Meter.kind(fabric.sameNode(source, destination));
    IsolatedRun aside = partition.aside;
    IsolatedRun recorder = aside != null && aside.recording ? aside : null;
    if (recorder == null) {
      meter.received(kind, payload, now);
    }
    long total = units.total(unit);
    long message = units.message(unit);
    boolean complete = payload == total;
    if (!complete) {
      complete = reassembly.add(message, payload) == total;
      if (complete) {
        reassembly.remove(message);
      }
    }
    int tag = units.tag(unit);
    long generated = units.generated(unit);
    units.release(unit);
    if (complete) {
      if (recorder == null) {
        meter.completed(kind, message, total, generated, now);
      } else {
        recorder.delivered(message, now);
      }
      if (partition.side != null) {
        partition.side.end(message);
      }
      if (observer != null) {
        observer.delivered(source, destination, total, generated, now);
      }
      if (tag >= 0 && (aside == null || !aside.takes(source, message))) {
        partition.runner.onDelivered(setup.rankOf[destination], setup.rankOf[source], tag);
      }
    }
  }
}
