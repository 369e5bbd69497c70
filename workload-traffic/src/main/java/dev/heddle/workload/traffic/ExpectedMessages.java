package dev.heddle.workload.traffic;

import java.util.Arrays;

/**
 * The numbers of messages between ranks of a closed loop, from the destinations that all ranks will draw. They are
 * drawn twice, in a time proportional to ranks times messages; pairs are kept that exchange messages.
 */
final class ExpectedMessages {
  // Pairs by receiving rank, then by sending rank; those of rank r are from[r] to from[r + 1] - 1.
  private final int[] from;
  private final int[] sources;
  private final int[] counts;

  ExpectedMessages(DestinationPattern pattern, int ranks, int messages) {
    from = new int[ranks + 1];
    Sender sender = new Sender(pattern, ranks, messages);
    for (int source = 0; source < ranks; source++) {
      sender.draw(source);
      for (int i = 0; i < sender.peers; i++) {
        from[sender.peer[i] + 1]++;
      }
    }
    for (int rank = 0; rank < ranks; rank++) {
      from[rank + 1] = Math.addExact(from[rank], from[rank + 1]);
    }
    sources = new int[from[ranks]];
    counts = new int[sources.length];
    int[] next = from.clone();
    for (int source = 0; source < ranks; source++) {
      sender.draw(source);
      for (int i = 0; i < sender.peers; i++) {
        int at = next[sender.peer[i]]++;
        sources[at] = source;
        counts[at] = sender.toPeer[sender.peer[i]];
      }
    }
  }

  /** The index of the first pair of a receiving rank; its pairs end before the first of the next rank. */
  int first(int rank) {
    return from[rank];
  }

  /** The sending rank of a pair; pairs of one receiving rank are in its order. */
  int source(int pair) {
    return sources[pair];
  }

  /** The number of messages of a pair, at least 1. */
  int count(int pair) {
    return counts[pair];
  }

  /** The messages of one rank by destination. */
  private static final class Sender {
    private final DestinationPattern pattern;
    private final int messages;
    private final int[] toPeer;
    private int[] peer = new int[1];
    private int peers;

    Sender(DestinationPattern pattern, int ranks, int messages) {
      this.pattern = pattern;
      this.messages = messages;
      toPeer = new int[ranks];
    }

    void draw(int source) {
      for (int i = 0; i < peers; i++) {
        toPeer[peer[i]] = 0;
      }
      peers = 0;
      Destinations destinations = pattern.of(source);
      for (int i = 0; i < messages; i++) {
        int destination = destinations.next();
        if (destination == Destinations.NONE) {
          return;
        }
        if (toPeer[destination]++ == 0) {
          if (peers == peer.length) {
            peer = Arrays.copyOf(peer, 2 * peers);
          }
          peer[peers++] = destination;
        }
      }
    }
  }
}
