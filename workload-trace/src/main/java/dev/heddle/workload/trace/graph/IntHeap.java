package dev.heddle.workload.trace.graph;

import java.util.Arrays;

/** Numbers of which the least comes first. */
final class IntHeap {
  private int[] heap = new int[4];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void add(int value) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    int at = size++;
    while (at > 0 && heap[(at - 1) >>> 1] > value) {
      heap[at] = heap[(at - 1) >>> 1];
      at = (at - 1) >>> 1;
    }
    heap[at] = value;
  }

  int removeLeast() {
    if (size == 0) {
      throw new IllegalStateException("a worker takes an operation, but none is ready");
    }
    int least = heap[0];
    int last = heap[--size];
    int at = 0;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= last) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return least;
  }
}
