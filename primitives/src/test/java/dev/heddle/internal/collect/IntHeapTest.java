package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.units.RandomStream;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class IntHeapTest {
  private record Entry(double key, int number) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return key != other.key ? Double.compare(key, other.key) : Integer.compare(number, other.number);
    }
  }

  @Test
  void shouldYieldTheLowestKeyWhenKeysAreRaisedAndNumbersRemoved() {
    for (long seed = 0; seed < 200; seed++) {
      RandomStream random = RandomStream.of(seed, "heap", "load");
      IntHeap heap = new IntHeap();
      TreeSet<Entry> expected = new TreeSet<>();
      int count = 1 + random.nextInt(200);
      for (int number = 0; number < count; number++) {
        double key = random.nextInt(20);
        heap.append(number, key);
        expected.add(new Entry(key, number));
      }
      heap.order();
      while (!expected.isEmpty()) {
        Entry first = expected.pollFirst();
        assertThat(heap.first()).as("seed %s", seed).isEqualTo(first.number());
        assertThat(heap.key()).as("seed %s", seed).isEqualTo(first.key());
        if (random.nextInt(2) == 0) {
          double raised = first.key() + 1 + random.nextInt(5);
          heap.raise(raised);
          expected.add(new Entry(raised, first.number()));
        } else {
          heap.remove();
        }
      }
    }
  }
}
