package dev.heddle.collectives.nccl.schedule;

import com.google.common.primitives.Ints;
import java.util.stream.IntStream;

/**
 * The ranks that share switches which reduce and multicast: one domain for each node, with the same number of heads on
 * each.
 */
public interface NvlsDomains {
  /** The number of ranks. */
  int ranks();

  /** The number of domains. */
  int count();

  /** The domain of a rank. */
  int domain(int rank);

  /** The members of a domain. */
  int[] members(int domain);

  /** The number of heads of each domain; a head owns a part of the data. */
  int heads();

  /** The rank of a head of a domain. */
  int head(int domain, int head);

  /**
   * The number of the head that a rank is.
   *
   * @throws IllegalArgumentException when the rank is no head
   */
  default int headOf(int rank) {
    int domain = domain(rank);
    return IntStream.range(0, heads()).filter(each -> head(domain, each) == rank).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("rank " + rank + " is no head"));
  }

  /** The other members of a rank's domain, beginning with the next one, so that ranks begin with different peers. */
  default int[] others(int rank) {
    int[] members = members(domain(rank));
    int place = Ints.indexOf(members, rank);
    return IntStream.range(1, members.length).map(i -> members[(place + i) % members.length]).toArray();
  }

  /** The ranks of a rail: the heads of one number, by domain. */
  default int[] rail(int head) {
    return IntStream.range(0, count()).map(domain -> head(domain, head)).toArray();
  }

  /** The parent of a domain in a channel's tree between domains; -1 for the root. */
  int parent(int channel, int domain);

  /** The children of a domain in a channel's tree between domains, at most two. */
  int[] children(int channel, int domain);
}
