package dev.heddle.network;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.FabricChange;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.RandomStream;
import org.jspecify.annotations.Nullable;

/**
 * The selection among the channels that lead from a device towards a waypoint, by the rule of the tier. A network
 * states the load of a link, and the comparison of shortest paths with detours.
 */
public abstract class RouteSelector {
  /** The channels of the last question. */
  protected final int[] candidates;

  private Fabric fabric;
  private final long seed;
  private final @Nullable RandomStream[] random;
  private boolean dynamic;

  /**
   * A selector.
   *
   * @param seed of random choices
   * @param random streams by device, made when they are first used; selectors of disjoint devices may share the array
   */
  protected RouteSelector(Fabric fabric, long seed, @Nullable RandomStream[] random) {
    this.fabric = fabric;
    this.seed = seed;
    this.random = random;
    int most = fabric.maxCandidates();
    for (FabricChange change : fabric.changes()) {
      most = Math.max(most, change.fabric().maxCandidates());
    }
    candidates = new int[most];
  }

  /** The present state of the fabric. */
  protected final Fabric present() {
    return fabric;
  }

  /** The fabric takes on another state. */
  public final void change(Fabric later) {
    fabric = later;
  }

  /** The load of a link, by which adaptive selection compares links. */
  protected abstract long load(int link);

  /**
   * A shortest path, or a detour where it is less loaded (UGAL).
   *
   * @param shortest number of candidates on shortest paths, which come first
   * @param count number of candidates
   */
  protected abstract int ugal(int device, int waypoint, int shortest, int count);

  /**
   * The channel by which a message goes on from a device.
   *
   * @param arrivedBy the channel by which the message came, or {@link dev.heddle.tier.RouteFunction#NONE}
   */
  public final int choose(int device, int waypoint, int arrivedBy, long message, int destination) {
    int count = fabric.candidates(device, waypoint, arrivedBy, candidates);
    return count == 1 ? candidates[0] : among(count, device, waypoint, arrivedBy, message, destination);
  }

  /** One of the candidates of the last question. */
  protected final int among(int count, int device, int waypoint, int arrivedBy, long message, int destination) {
    TierPlan.Selection selection = fabric.selection(device, waypoint);
    dynamic |= selection != TierPlan.Selection.SOURCE;
    switch (selection) {
      case MESSAGE_HASH :
        return candidates[hashed(message, device, arrivedBy, destination, count)];
      case RANDOM :
        return candidates[random(device).nextInt(count)];
      case SOURCE :
        return fabric.sourceChannel(device, waypoint, message, destination);
      case UGAL :
        return ugal(device, waypoint, fabric.shortest(device, waypoint, arrivedBy, count), count);
      default :
        return leastLoaded(device, count);
    }
  }

  /** Whether a path so far was drawn, or depended on the loads of links or on the number of a message. */
  public final boolean dynamic() {
    return dynamic;
  }

  /**
   * The candidate, from 0, that a switch takes by hash.
   *
   * @param arrivedBy the channel by which the message came, or {@link dev.heddle.tier.RouteFunction#NONE} at its source
   * @param count number of candidates
   */
  protected int hashed(long message, int device, int arrivedBy, int destination, int count) {
    return MessageNumbers.hashed(message, device, count);
  }

  // One of several is drawn, as a turn would lock in phase with senders in step.
  private int leastLoaded(int device, int count) {
    int ties = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      long load = load(TierPlan.linkOf(candidates[i]));
      if (load <= least) {
        ties = load < least ? 0 : ties;
        least = load;
        candidates[ties++] = candidates[i];
      }
    }
    return candidates[ties == 1 ? 0 : random(device).nextInt(ties)];
  }

  /** The random stream of a device's choices. */
  public final RandomStream random(int device) {
    RandomStream stream = random[device];
    if (stream == null) {
      stream = RandomStream.of(seed, "device/" + device, "routing");
      random[device] = stream;
    }
    return stream;
  }
}
