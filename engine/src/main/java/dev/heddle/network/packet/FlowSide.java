package dev.heddle.network.packet;

import dev.heddle.engine.Collectives;
import dev.heddle.engine.Transport;

/**
 * Flows beside packets: they share links, clock and programs with the packets of one partition, and carry the messages
 * that no packets carry. All times are those of the partition's clock, at which the methods are called.
 */
public interface FlowSide {
  /** Takes the packets' side; once, before any other method. */
  void join(PacketSide side);

  /** The transport of all messages of programs, which hands on those that packets carry. */
  Transport transport(Transport packets);

  /** The execution of all collectives of programs, which hands on those that go message by message. */
  Collectives collectives(Collectives packets);

  /** Whether packets carry the messages from one terminal to another. */
  boolean carriesPackets(int source, int destination);

  /** Whether no flow, and no collective of flows, is on a link. */
  boolean isFree(int link);

  /** The place of the next message among all of the run, packets and flows. */
  long nextPlace();

  /** Whether a message of flows before a place has yet to leave by a channel. */
  boolean flowsAhead(int channel, long place);

  /** A message of packets has left its source by a channel. */
  void packetsLeft(int channel);

  /** Runs the events of flows that are due. */
  void wake();

  /** Solves the rates of flows, at the end of an instant, where anything has changed. */
  void settle();

  /** The first packet of a message is about to leave its source, with a traffic class within its node. */
  void begin(long id, int destination, long bytes, int trafficClass);

  /** The last packet of a message has arrived. */
  void end(long id);

  /** The messages and collectives of flows that have not ended. */
  int live();

  /** The time of the last event of flows. */
  long lastPs();
}
