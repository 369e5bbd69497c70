package dev.heddle.collectives.nccl.system;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collectives.nccl.PathType;

/**
 * A way through the system graph.
 *
 * @param type what it crosses at worst
 * @param megabytes the least bandwidth of its links, MB/s
 * @param links in order; none from a device to itself
 */
public record Path(PathType type, int megabytes, ImmutableIntArray links) {
  /** No way at all. */
  static final Path NONE = new Path(PathType.DIS, 0, ImmutableIntArray.of());

  /** The number of links. */
  public int hops() {
    return links.length();
  }

  /** This way and then another; its type is the worse one's. */
  Path then(Path next) {
    ImmutableIntArray all = ImmutableIntArray.builder(hops() + next.hops()).addAll(links).addAll(next.links).build();
    return new Path(PathType.worse(type, next.type), Math.min(megabytes, next.megabytes), all);
  }

  /** The same way, called otherwise. */
  Path as(PathType other) {
    return new Path(other, megabytes, links);
  }

  // Lower type, then higher bandwidth, then fewer hops.
  boolean betterThan(Path other) {
    if (type != other.type) {
      return type.compareTo(other.type) < 0;
    }
    return megabytes != other.megabytes ? megabytes > other.megabytes : hops() < other.hops();
  }
}
