package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.fabric.Fabric;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.network.WireTimeCache;

/** Credits for freed buffers, and acknowledgements, to the senders of a partition's units. */
final class ReverseTraffic {
  private static final int NONE = NetworkState.NONE;

  private final int number;
  private final RunContext setup;
  private final Links links;
  private final VirtualChannels channels;
  private final CreditLedger ledger;
  private final WireTimeCache times;
  private final PacketTable units;
  private final EventQueue queue;
  private final Outbox[] outbox;

  ReverseTraffic(Partition partition, NetworkState state, RunContext setup) {
    number = partition.number;
    this.setup = setup;
    links = state.links;
    channels = state.channels;
    ledger = partition.ledger;
    times = partition.times;
    units = partition.units;
    queue = partition.queue;
    outbox = partition.outbox;
  }

  void returnCredit(int channel, int bytes, int headers, long leftAt) {
    if (bytes == 0 && headers == 0) {
      return;
    }
    long time = leftAt + channels.returnPs(channel);
    int owner = owner(channel);
    if (owner == number) {
      receiveCredit(channel, bytes, headers, time);
    } else {
      outbox[owner].credit(time, channel, bytes, headers);
    }
  }

  /** Notes credit for a channel of this partition, and wakes a link that waits for it. */
  void receiveCredit(int channel, int bytes, int headers, long time) {
    ledger.returnCredit(channel, bytes, headers, time);
    int link = channels.link(channel);
    if (links.stalledSince(link) != NONE && time < links.creditWakeAt(link)) {
      links.creditWakeAt(link, time);
      queue.push(time, Events.pack(Events.CREDIT, link, 0));
    }
  }

  /** The partition that owns a channel's sender. */
  int owner(int channel) {
    return setup.partitionOf[channels.source(channel)];
  }

  void scheduleAck(int link, int unit) {
    if (!links.acknowledges(link)) {
      return;
    }
    long ack = times.ackPs(times.slot(links.spec(link), units.payload(unit), units.trafficClass(unit)));
    if (ack > 0) {
      int back = Fabric.opposite(link);
      long now = queue.now();
      links.addAckDebt(back, pendingAckPs(back, now) + ack, now);
    }
  }

  long drainAcks(int link, long now) {
    if (links.ackDebtPs(link) == 0) {
      return 0;
    }
    long debt = pendingAckPs(link, now);
    links.settleDebt(link);
    return debt;
  }

  /** Acknowledgements that wait for a link, as time on its wire; they go out by themselves while it is idle. */
  long pendingAckPs(int link, long now) {
    long idle = now - Math.max(links.freeAt(link), links.ackAt(link));
    return Math.max(0, links.ackDebtPs(link) - Math.max(0, idle));
  }
}
