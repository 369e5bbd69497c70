package dev.heddle.collectives.nccl.system;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collectives.nccl.PathType;

/**
 * A path through the system graph.
 *
 * @param type worst type on the path
 * @param megabytes least bandwidth of its links, MB/s
 * @param links in order; none from a device to itself
 */
public record Path(PathType type, int megabytes, ImmutableIntArray links) {
  /** The absence of a path. */
  static final Path NONE = new Path(PathType.DIS, 0, ImmutableIntArray.of());

  /** The number of links. */
  public int hops() {
    return links.length();
  }

  /** The path followed by another; its type is the worse of both. */
  Path then(Path next) {
    ImmutableIntArray all = ImmutableIntArray.builder(hops() + next.hops()).addAll(links).addAll(next.links).build();
    return new Path(PathType.worse(type, next.type), Math.min(megabytes, next.megabytes), all);
  }

  /** The path with another type. */
  Path as(PathType other) {
    return new Path(other, megabytes, links);
  }

  // Whether the path is better than another: lower type, then higher bandwidth, then fewer hops.
  boolean betterThan(Path other) {
    if (type != other.type) {
      return type.compareTo(other.type) < 0;
    }
    return megabytes != other.megabytes ? megabytes > other.megabytes : hops() < other.hops();
  }
}
