package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.MessageTable;
import java.util.Arrays;

/** The messages that wait for their turn, are under way, or have left their source and not yet arrived. */
final class FlowMessages extends MessageTable {
  private int[] firstLink = new int[1024];
  private int[] flow = new int[1024];
  private long[] order = new long[0];

  /** Sets the place among all messages of the run, where packets are beside flows. */
  void order(int message, long place) {
    order = message < order.length ? order : Arrays.copyOf(order, Math.max(1024, 2 * message));
    order[message] = place;
  }

  long order(int message) {
    return order[message];
  }

  /** Sets the link by which a message leaves its source. */
  void firstLink(int message, int link) {
    firstLink[message] = link;
  }

  int firstLink(int message) {
    return firstLink[message];
  }

  /** The flow that carries a message that is under way. */
  int flow(int message) {
    return flow[message];
  }

  void flow(int message, int carrier) {
    flow[message] = carrier;
  }

  @Override
  protected void grow(int rows) {
    super.grow(rows);
    firstLink = Arrays.copyOf(firstLink, rows);
    flow = Arrays.copyOf(flow, rows);
  }

  /** The traffic class of a message between nodes. */
  int networkClass(int message) {
    int own = MessageNumbers.networkClass(id(message));
    return own == MessageLabel.SAME_CLASS ? trafficClass(message) : own;
  }
}
