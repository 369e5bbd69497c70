package dev.heddle.workload.trace.graph;

/** For each of some numbers, other numbers: rows laid out one after the other. */
record IntRows(int[] first, int[] values) {
  /** The rows of edges: row {@code from[i]} holds {@code to[i]}, in the order of the edges. */
  static IntRows of(int rows, int[] from, int[] to, int edges) {
    int[] first = new int[rows + 1];
    for (int i = 0; i < edges; i++) {
      first[from[i] + 1]++;
    }
    for (int row = 0; row < rows; row++) {
      first[row + 1] += first[row];
    }
    int[] next = first.clone();
    int[] values = new int[edges];
    for (int i = 0; i < edges; i++) {
      values[next[from[i]]++] = to[i];
    }
    return new IntRows(first, values);
  }

  int begin(int row) {
    return first[row];
  }

  int end(int row) {
    return first[row + 1];
  }

  int value(int at) {
    return values[at];
  }
}
