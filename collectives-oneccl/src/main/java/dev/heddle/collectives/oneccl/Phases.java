package dev.heddle.collectives.oneccl;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Pipeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The transfers of an all_reduce, phase by phase: within GPUs, within planes, between nodes, and back. In a phase all
 * edges of a position carry the same bytes at the same time.
 */
final class Phases {
  private final Teams teams;
  private final HostPath host;
  private final long bytes;
  private final int[] buffers;
  private final List<Pipeline> pipelines = new ArrayList<>();
  private int phase;

  Phases(Teams teams, ScaleOut scaleOut, HostPath host, long bytes) {
    this.teams = teams;
    this.host = teams.nodes() == 1 ? HostPath.NONE : host;
    this.bytes = bytes;
    buffers = this.host == HostPath.NONE ? new int[0] : teams.buffers();
    if (teams.nodes() * teams.perNode() > 1) {
      exchange(teams.tiles(), 1, teams.tiles());
      exchange(teams.gpus(), teams.tiles(), teams.perNode());
      between(scaleOut);
      exchange(teams.gpus(), teams.tiles(), teams.perNode());
      exchange(teams.tiles(), 1, teams.tiles());
    }
  }

  List<Pipeline> pipelines() {
    return pipelines;
  }

  // Every member of a team sends every other one a part. The positions of members differ by a given stride.
  private void exchange(int members, int apart, int parts) {
    if (members == 1) {
      return;
    }
    ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
    ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
    for (int node = 0; node < teams.nodes(); node++) {
      for (int place = 0; place < teams.perNode(); place++) {
        int first = place - place / apart % members * apart;
        for (int member = 0; member < members; member++) {
          int other = first + member * apart;
          if (other != place) {
            sources.add(teams.terminal(node, place));
            targets.add(teams.terminal(node, other));
          }
        }
      }
    }
    long part = share(1, parts);
    ImmutableIntArray from = sources.build();
    pipelines.add(
        Pipeline.of(from, targets.build(), part, part, new Pipeline.Fill(1.0 / from.length(), 0, 0))
            .inPhase(phase++));
  }

  private long share(long part, long whole) {
    long remainder = bytes % whole * part;
    return Math.addExact(Math.multiplyExact(bytes / whole, part), (remainder + whole - 1) / whole);
  }

  private void between(ScaleOut scaleOut) {
    int nodes = teams.nodes();
    int share = teams.perNode();
    if (nodes == 1) {
      return;
    }
    if (host == HostPath.REDUCE) {
      copy(true, share(1, share), share(1, share), nodes, 1.0 / nodes);
    }
    if (scaleOut == ScaleOut.RING) {
      long all = share(2L * (nodes - 1), (long) share * nodes);
      move(node -> (node + 1) % nodes, all, share(1, (long) share * nodes), 2.0 * (nodes - 1) / nodes);
    } else {
      folded(scaleOut, share);
    }
    if (host == HostPath.REDUCE) {
      copy(false, share(1, share), share(1, share), nodes, 1.0 / nodes);
    }
  }

  private void folded(ScaleOut scaleOut, int share) {
    int cube = Integer.highestOneBit(teams.nodes());
    int extra = teams.nodes() - cube;
    boolean halves = scaleOut == ScaleOut.RABENSEIFNER;
    if (extra > 0 && halves) {
      round(node -> node < 2 * extra ? node ^ 1 : node, share(1, 2L * share));
      round(node -> node < 2 * extra && node % 2 == 1 ? node - 1 : node, share(1, 2L * share));
    } else if (extra > 0) {
      round(node -> node >= cube ? node - cube : node, share(1, share));
    }
    IntUnaryOperator number = node -> halves
        ? (node >= 2 * extra ? node - extra : node % 2 == 0 ? node / 2 : -1)
        : node < cube ? node : -1;
    IntUnaryOperator node = at -> halves && at < extra ? 2 * at : halves ? at + extra : at;
    int logarithm = Integer.numberOfTrailingZeros(cube);
    for (int i = 0; i < 2 * logarithm; i++) {
      int bit = i < logarithm ? logarithm - 1 - i : i - logarithm;
      long part = share(1, (long) share * (cube >> bit));
      round(
          from -> number.applyAsInt(from) < 0 ? from : node.applyAsInt(number.applyAsInt(from) ^ 1 << bit), part);
    }
    if (extra > 0 && halves) {
      round(from -> from < 2 * extra && from % 2 == 0 ? from + 1 : from, share(1, share));
    } else if (extra > 0) {
      round(from -> from < extra ? from + cube : from, share(1, share));
    }
  }

  private void round(IntUnaryOperator target, long part) {
    int senders = 0;
    for (int node = 0; node < teams.nodes(); node++) {
      senders += target.applyAsInt(node) == node ? 0 : 1;
    }
    move(target, part, part, 1.0 / senders);
  }

  // Nodes that are their own target send nothing.
  private void move(IntUnaryOperator target, long all, long message, double hops) {
    boolean[] sends = new boolean[teams.nodes()];
    boolean[] receives = new boolean[teams.nodes()];
    for (int node = 0; node < teams.nodes(); node++) {
      if (target.applyAsInt(node) != node) {
        sends[node] = true;
        receives[target.applyAsInt(node)] = true;
      }
    }
    if (host == HostPath.COPY) {
      copy(true, all, message, sends, hops);
    }
    for (int place = 0; place < teams.perNode(); place++) {
      ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
      ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
      for (int node = 0; node < teams.nodes(); node++) {
        if (sends[node]) {
          sources.add(end(node, place));
          targets.add(end(target.applyAsInt(node), place));
        }
      }
      add(sources.build(), targets.build(), all, message, hops);
    }
    phase++;
    if (host == HostPath.COPY) {
      copy(false, all, message, receives, hops);
    }
  }

  private int end(int node, int place) {
    return host == HostPath.NONE ? teams.terminal(node, place) : buffers[teams.rank(node, place)];
  }

  private void copy(boolean toHost, long all, long message, int nodes, double hops) {
    boolean[] every = new boolean[nodes];
    Arrays.fill(every, true);
    copy(toHost, all, message, every, hops);
  }

  private void copy(boolean toHost, long all, long message, boolean[] taking, double hops) {
    for (int place = 0; place < teams.perNode(); place++) {
      ImmutableIntArray.Builder devices = ImmutableIntArray.builder();
      ImmutableIntArray.Builder memories = ImmutableIntArray.builder();
      for (int node = 0; node < teams.nodes(); node++) {
        if (taking[node]) {
          devices.add(teams.terminal(node, place));
          memories.add(end(node, place));
        }
      }
      ImmutableIntArray device = devices.build();
      ImmutableIntArray memory = memories.build();
      add(toHost ? device : memory, toHost ? memory : device, all, message, hops);
    }
    phase++;
  }

  private void add(ImmutableIntArray sources, ImmutableIntArray targets, long all, long message, double hops) {
    pipelines.add(
        Pipeline.of(sources, targets, all, message, new Pipeline.Fill(hops, 0, 0)).inPhase(phase));
  }
}
