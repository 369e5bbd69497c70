package dev.heddle.collective;

import dev.heddle.collective.Verifier.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An index over a whole schedule: global numbers of all thread blocks and steps, and the sender and the receiver of
 * every connection.
 */
final class Connections {
  private final Schedule schedule;
  private final RankSteps[] ranks;
  private final int[] firstBlock;
  private final int[] firstStep;
  // Per thread block of all: its rank, the block that it receives from and the one that it sends to.
  private final int[] rankOf;
  private final int[] sender;
  private final int[] receiver;

  Connections(Schedule schedule) {
    this.schedule = schedule;
    int count = schedule.participants();
    ranks = new RankSteps[count];
    firstBlock = new int[count + 1];
    firstStep = new int[count + 1];
    for (int rank = 0; rank < count; rank++) {
      ranks[rank] = schedule.steps(rank);
      firstBlock[rank + 1] = Math.addExact(firstBlock[rank], ranks[rank].threadBlocks());
      firstStep[rank + 1] = Math.addExact(firstStep[rank], ranks[rank].size());
    }
    rankOf = new int[firstBlock[count]];
    sender = new int[firstBlock[count]];
    receiver = new int[firstBlock[count]];
    connect();
  }

  private record Key(int from, int to, int channel) {}

  private void connect() {
    Map<Key, Integer> senders = new LinkedHashMap<>();
    for (int rank = 0; rank < ranks.length; rank++) {
      for (int block = 0; block < ranks[rank].threadBlocks(); block++) {
        int global = firstBlock[rank] + block;
        rankOf[global] = rank;
        sender[global] = RankSteps.NONE;
        receiver[global] = RankSteps.NONE;
        if (ranks[rank].sendPeer(block) != RankSteps.NONE) {
          senders.put(new Key(rank, ranks[rank].sendPeer(block), ranks[rank].channel(block)), global);
        }
      }
    }
    for (int global = 0; global < rankOf.length; global++) {
      RankSteps own = ranks[rankOf[global]];
      int block = global - firstBlock[rankOf[global]];
      if (own.receivePeer(block) != RankSteps.NONE) {
        Integer from = senders.get(new Key(own.receivePeer(block), own.rank(), own.channel(block)));
        if (from != null) {
          sender[global] = from;
          receiver[from] = global;
        }
      }
    }
  }

  /** Finds messages without a receive and receives without a message. */
  void findUnmatched(List<Finding> findings, int most) {
    for (int block = 0; block < rankOf.length && findings.size() < most; block++) {
      int sent = count(block, true);
      int received = receiver[block] == RankSteps.NONE ? 0 : count(receiver[block], false);
      if (sent > received) {
        int peer = steps(block).sendPeer(local(block));
        findings.add(Finding.at(Finding.Fault.UNMATCHED_SEND, steps(block), nth(block, true, received),
            "rank " + peer + " receives " + received + " messages of this connection, but this is message "
                + (received + 1)));
      }
      int expected = count(block, false);
      int arriving = sender[block] == RankSteps.NONE ? 0 : count(sender[block], true);
      if (expected > arriving) {
        int peer = steps(block).receivePeer(local(block));
        findings.add(Finding.at(Finding.Fault.UNMATCHED_RECEIVE, steps(block), nth(block, false, arriving),
            "rank " + peer + " sends " + arriving + " messages over this connection, but this awaits message "
                + (arriving + 1)));
      }
    }
  }

  private int count(int block, boolean sends) {
    int count = 0;
    for (int step = steps(block).firstStep(local(block)); step < steps(block).endStep(local(block)); step++) {
      StepKind kind = steps(block).kind(step);
      count += (sends ? kind.sends() : kind.receives()) ? 1 : 0;
    }
    return count;
  }

  private int nth(int block, boolean sends, int index) {
    int left = index;
    int step = steps(block).firstStep(local(block));
    while (true) {
      StepKind kind = steps(block).kind(step);
      if ((sends ? kind.sends() : kind.receives()) && left-- == 0) {
        return step;
      }
      step++;
    }
  }

  Layout layout() {
    return schedule.layout();
  }

  int ranks() {
    return ranks.length;
  }

  /** The thread blocks of all ranks. */
  int blocks() {
    return rankOf.length;
  }

  /** The steps of all ranks. */
  int size() {
    return firstStep[ranks.length];
  }

  RankSteps rank(int rank) {
    return ranks[rank];
  }

  /** The steps of the rank of a thread block. */
  RankSteps steps(int block) {
    return ranks[rankOf[block]];
  }

  /** The rank of a thread block. */
  int rankOf(int block) {
    return rankOf[block];
  }

  /** A thread block's number within its rank. */
  int local(int block) {
    return block - firstBlock[rankOf[block]];
  }

  /** The first of a rank's thread blocks among all. */
  int firstBlock(int rank) {
    return firstBlock[rank];
  }

  /** The first of a rank's steps among all. */
  int firstStep(int rank) {
    return firstStep[rank];
  }

  /** The thread block that sends to one, or {@link RankSteps#NONE}. */
  int sender(int block) {
    return sender[block];
  }

  /** The thread block that one sends to, or {@link RankSteps#NONE}. */
  int receiver(int block) {
    return receiver[block];
  }
}
