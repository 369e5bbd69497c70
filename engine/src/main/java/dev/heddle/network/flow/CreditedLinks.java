package dev.heddle.network.flow;

import java.util.Arrays;

/** Links whose credits may limit messages, with their buffers and rounds; a list of parallel arrays. */
final class CreditedLinks {
  /** The number of entries. */
  int count;
  /** The link of the fabric. */
  int[] links = new int[8];
  /** The channel of the link among those of all links. */
  int[] channels = new int[8];
  /** Payload on the link per byte of the message or pipeline. */
  double[] carried = new double[8];
  /** Payload that fills the receiver's buffer. */
  double[] buffers = new double[8];
  /** The round of the credits, in picoseconds. */
  double[] rounds = new double[8];
  /** Wire time of a byte of payload, in picoseconds; of a pipeline, once it is settled, the share for a rate of 1. */
  double[] times = new double[8];
  /** The crossings for which that of the link stands. */
  double[] crossings = new double[8];

  /** Adds an entry. */
  void add(int link, int channel, double part, double buffer, double round, double time) {
    if (count == links.length) {
      links = Arrays.copyOf(links, 2 * count);
      channels = Arrays.copyOf(channels, 2 * count);
      carried = Arrays.copyOf(carried, 2 * count);
      buffers = Arrays.copyOf(buffers, 2 * count);
      rounds = Arrays.copyOf(rounds, 2 * count);
      times = Arrays.copyOf(times, 2 * count);
      crossings = Arrays.copyOf(crossings, 2 * count);
    }
    links[count] = link;
    channels[count] = channel;
    carried[count] = part;
    buffers[count] = buffer;
    rounds[count] = round;
    times[count] = time;
    crossings[count++] = 1;
  }

  /** Adds those of a number of equal edges, of which each carries so much per byte of its pipeline. */
  void add(CreditedLinks edge, double volume, int equal) {
    for (int i = 0; i < edge.count; i++) {
      add(edge.links[i], edge.channels[i], equal * volume * edge.carried[i], edge.buffers[i], edge.rounds[i],
          edge.times[i]);
    }
  }

  /** Replaces links by their representatives, for all equal messages. */
  void fold(Folding by, FlowPlan plan, int copies) {
    for (int i = 0; i < count; i++) {
      double crossed = by.crossings(copies, links[i]);
      int link = by.link(links[i]);
      channels[i] += plan.firstChannel[link] - plan.firstChannel[links[i]];
      links[i] = link;
      crossings[i] *= crossed;
    }
  }

  /** The time for which a message with a part of its credits there waits for a link, in picoseconds. */
  double occupiedPs(int number, double bytes, double free) {
    double volume = carried[number] * bytes;
    double covered = Math.min(volume, free * buffers[number]);
    return covered * times[number] + (volume - covered) * rounds[number] / buffers[number];
  }

  /** The number of the one that lets a message have the least; -1 for none. */
  int slowest() {
    int slowest = count - 1;
    for (int i = 0; i < count - 1; i++) {
      slowest = carried[i] * rounds[i] * buffers[slowest] > carried[slowest] * rounds[slowest] * buffers[i]
          ? i : slowest;
    }
    return slowest;
  }

  /** Adds the payload of a pipeline that each channel carries. */
  void sum(double bytes, double[] byChannel) {
    for (int i = 0; i < count; i++) {
      byChannel[channels[i]] += carried[i] * bytes;
    }
  }

  /** Works out shares: credits that are there at the start cover a part of what all pipelines send on a channel. */
  void settle(double[] byChannel) {
    for (int i = 0; i < count; i++) {
      double free = Math.min(1, buffers[i] / byChannel[channels[i]]);
      times[i] = free == 1 ? 0 : carried[i] * (free * times[i] + (1 - free) * rounds[i] / buffers[i]);
    }
  }

  /** Makes those sums 0 again. */
  void forget(double[] byChannel) {
    for (int i = 0; i < count; i++) {
      byChannel[channels[i]] = 0;
    }
  }
}
