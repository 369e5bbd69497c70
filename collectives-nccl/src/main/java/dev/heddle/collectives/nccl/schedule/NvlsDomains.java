package dev.heddle.collectives.nccl.schedule;

import com.google.common.primitives.Ints;
import java.util.stream.IntStream;

/** The ranks that share NVSwitches which add and multicast: a team per node, with as many heads on each. */
public interface NvlsDomains {
  /** The number of ranks. */
  int ranks();

  /** The number of teams. */
  int teams();

  /** The team of a rank. */
  int team(int rank);

  /** The members of a team. */
  int[] members(int team);

  /** The number of heads of each team: ranks that own a part of the data. */
  int heads();

  /** The rank that is a head of a team. */
  int head(int team, int head);

  /** Which head a rank is. */
  default int headOf(int rank) {
    int team = team(rank);
    return IntStream.range(0, heads()).filter(each -> head(team, each) == rank).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("rank " + rank + " is no head"));
  }

  /** The other members of a rank's team, from the next one round: not all ranks begin with the same. */
  default int[] others(int rank) {
    int[] members = members(team(rank));
    int place = Ints.indexOf(members, rank);
    return IntStream.range(1, members.length).map(i -> members[(place + i) % members.length]).toArray();
  }

  /** The heads of a number, team by team: a rail. */
  default int[] rail(int head) {
    return IntStream.range(0, teams()).map(team -> head(team, head)).toArray();
  }

  /** The parent of a team in the tree between them that a channel uses; -1 of the root. */
  int parent(int channel, int team);

  /** The children of a team in the tree between them that a channel uses, at most two. */
  int[] children(int channel, int team);
}
