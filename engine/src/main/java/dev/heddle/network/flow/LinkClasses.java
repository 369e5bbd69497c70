package dev.heddle.network.flow;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.CompiledFabric;
import dev.heddle.spi.Switch;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The traffic classes of each link: those of the switch that sends by it, with their weights, or, where a host sends to
 * a switch that has classes, the switch's, which hosts serve in turn.
 */
final class LinkClasses {
  /** The weight of a class of strict priority. */
  static final int STRICT = 0;

  private final int[] @Nullable [] weights;
  private final int most;

  private LinkClasses(int[] @Nullable [] weights) {
    this.weights = weights;
    int classes = 1;
    for (int[] each : weights) {
      classes = each == null ? classes : Math.max(classes, each.length);
    }
    most = classes;
  }

  /**
   * The classes of links by their weights.
   *
   * @param weights by link and class, {@link #STRICT} for those that go first; null where all share one queue
   */
  static LinkClasses of(int[] @Nullable [] weights) {
    return new LinkClasses(weights.clone());
  }

  /** The classes of the links of a fabric over which a transport protocol runs. */
  static LinkClasses of(CompiledFabric plan) {
    int[][] weights = new int[plan.links][];
    for (int link = 0; link < plan.links; link++) {
      if (CompiledFabric.carriesTransport(plan.fabric, link, plan.specs[plan.spec[link]])) {
        List<Integer> own = weights(plan.fabric, plan.fabric.linkSource(link));
        int served = Math.max(own.size(), weights(plan.fabric, plan.linkTarget[link]).size());
        if (served > 1) {
          weights[link] = new int[served];
          Arrays.fill(weights[link], 1);
          for (int each = 0; each < served && !own.isEmpty(); each++) {
            weights[link][each] = own.get(Math.min(each, own.size() - 1));
          }
        }
      }
    }
    return new LinkClasses(weights);
  }

  private static List<Integer> weights(Fabric fabric, int device) {
    Switch model = fabric.bridges(device) ? null : fabric.forwarding(device);
    return model == null ? List.of() : model.queuePolicy().weights();
  }

  /** The weights of a link's classes; null where all flows share it alike. */
  int @Nullable [] ofLink(int link) {
    return link < weights.length ? weights[link] : null;
  }

  /** Whether a link is one of the fabric's, not one that stands for a limit. */
  boolean isOfFabric(int link) {
    return link < weights.length;
  }

  /** The most classes that a link has; at least 1. */
  int most() {
    return most;
  }
}
