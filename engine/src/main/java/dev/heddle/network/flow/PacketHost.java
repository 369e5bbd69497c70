package dev.heddle.network.flow;

import dev.heddle.engine.Collectives;
import dev.heddle.engine.ProgramRunner;

/** Packets beside flows, as the flows see them: they run the programs, and share links. */
public interface PacketHost {
  /** Whether packets carry the messages from one terminal to another. */
  boolean carriesPackets(int source, int destination);

  /** The place of the next message among all of the run, packets and flows. */
  long nextPlace();

  /** Whether a message of packets before a place has yet to leave by a channel. */
  boolean packetsAhead(int channel, long place);

  /** A message of flows has left its source by a channel. */
  void flowLeft(int channel);

  /** A flow, or a collective of flows, is about to begin on a link. */
  void enter(int link);

  /** Leaves a part of a link, more than 0 and at most 1, to packets. */
  void room(int link, double part);

  /** The execution of collectives that go message by message. */
  Collectives stepwise();

  /** The runner of all programs. */
  ProgramRunner runner();
}
