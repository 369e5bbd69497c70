package dev.heddle.network.packet;

import java.util.Arrays;

/**
 * The mutable state of links, channels and queues. Every entry belongs to one partition, which alone reads and writes
 * it: that of the link's source for transmitters and credits, that of the link's target for input queues.
 */
final class SharedState {
  static final int NONE = -1;

  // Per link, owned by the source.
  final long[] freeAt;
  final boolean[] freeScheduled;
  final boolean[] marked;
  final long[] creditWakeAt;
  final long[] stalledSince;
  final int[] lastVirtual;
  final long[] ackDebtPs;
  final long[] ackAt;
  final long[] queuedBytes;
  final long[] maxQueuedBytes;
  final long[] busyPs;
  final long[] stallPs;
  final long[] payloadBytes;
  final long[] units;

  // Per channel, owned by the source.
  final int[] creditBytes;
  final int[] creditHeaders;
  final int[] creditFirst;
  final int[] creditLast;
  final int[] lastGranted;
  final int[] injectionHead;
  final int[] injectionTail;
  final int[] injectionUnit;
  final long[] outputBytes;
  final boolean[] injectedLast;
  final boolean[] fillMarked;
  final long[] requests;

  // Per channel, owned by the target.
  final long[] inputFreeAt;
  final boolean[] exposeScheduled;

  // Per queue, owned by the device.
  final int[] queueHead;
  final int[] queueTail;

  SharedState(NetworkPlan plan) {
    int links = plan.links;
    int channels = plan.channels;
    freeAt = new long[links];
    freeScheduled = new boolean[links];
    marked = new boolean[links];
    creditWakeAt = filled(links, Long.MAX_VALUE);
    stalledSince = filled(links, (long) NONE);
    lastVirtual = new int[links];
    ackDebtPs = new long[links];
    ackAt = new long[links];
    queuedBytes = new long[links];
    maxQueuedBytes = new long[links];
    busyPs = new long[links];
    stallPs = new long[links];
    payloadBytes = new long[links];
    units = new long[links];
    creditBytes = plan.capacityBytes.clone();
    creditHeaders = plan.capacityHeaders.clone();
    creditFirst = filled(channels, NONE);
    creditLast = filled(channels, NONE);
    lastGranted = filled(channels, NONE);
    injectionHead = filled(channels, NONE);
    injectionTail = filled(channels, NONE);
    injectionUnit = filled(channels, NONE);
    outputBytes = new long[channels];
    injectedLast = new boolean[channels];
    fillMarked = new boolean[channels];
    requests = new long[plan.requestWordCount];
    inputFreeAt = new long[channels];
    exposeScheduled = new boolean[channels];
    queueHead = filled(plan.queues, NONE);
    queueTail = filled(plan.queues, NONE);
  }

  private static int[] filled(int length, int value) {
    int[] array = new int[length];
    Arrays.fill(array, value);
    return array;
  }

  private static long[] filled(int length, long value) {
    long[] array = new long[length];
    Arrays.fill(array, value);
    return array;
  }
}
