package dev.heddle.internal.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.units.RandomStream;
import java.util.PriorityQueue;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds {@link EventQueue} against a sorted reference over many seeded loads. */
class EventQueueTest {
  private record Event(long time, long event) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int order = Long.compare(time, other.time);
      return order != 0 ? order : Long.compare(event, other.event);
    }
  }

  // Moves the clock and all events by a time.
  private static PriorityQueue<Event> jump(EventQueue queue, PriorityQueue<Event> reference, long byPs) {
    long[] events = new long[2 * queue.size()];
    queue.copyTo(events);
    for (int i = 0; i < events.length; i += 2) {
      events[i] += byPs;
    }
    queue.jump(queue.now() + byPs, events, events.length / 2);
    assertThat(queue.size()).isEqualTo(reference.size());
    PriorityQueue<Event> moved = new PriorityQueue<>();
    reference.forEach(event -> moved.add(new Event(event.time() + byPs, event.event())));
    return moved;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void shouldPopInTotalOrderWhateverTheLoad(long seed) {
    RandomStream random = RandomStream.of(seed, "queue", "load");
    long scale = 1L << random.nextInt(40);
    long[] constants = {0, scale, 2 * scale + 1, 7 * scale};
    LongUnaryOperator delay =
        kind -> {
          switch ((int) (kind % 5)) {
            case 0 :
              return constants[random.nextInt(constants.length)];
            case 1 :
              return (long) (random.nextExponential() * scale);
            case 2 :
              return random.nextInt(16);
            case 3 :
              return random.nextInt(100) == 0 ? scale * 5000 : random.nextInt(1000);
            default :
              return constants[1];
          }
        };
    EventQueue queue = new EventQueue();
    PriorityQueue<Event> reference = new PriorityQueue<>();
    int target = 1 + random.nextInt(5000);
    long phase = 0;
    for (int step = 0; step < 60_000; step++) {
      if (step % 7000 == 0) {
        phase = random.nextInt(5);
        target = 1 + random.nextInt(8000);
      }
      if (step % 9000 == 5000) {
        reference = jump(queue, reference, random.nextInt(1 << 30));
      }
      if (reference.size() < target && random.nextInt(3) > 0) {
        long time = queue.now() + delay.applyAsLong(random.nextInt(4) == 0 ? random.nextInt(5) : phase);
        long event = random.nextInt(1 << 20);
        if (random.nextInt(4) == 0) {
          queue.pushLate(time, event);
        } else {
          queue.push(time, event);
        }
        reference.add(new Event(time, event));
      } else if (!reference.isEmpty()) {
        Event expected = reference.remove();
        assertThat(queue.nextTime()).as("seed %d step %d", seed, step).isEqualTo(expected.time());
        assertThat(queue.pop()).isTrue();
        assertThat(queue.now()).as("seed %d step %d", seed, step).isEqualTo(expected.time());
        assertThat(queue.event()).as("seed %d step %d", seed, step).isEqualTo(expected.event());
      }
      assertThat(queue.size()).isEqualTo(reference.size());
    }
    while (!reference.isEmpty()) {
      Event expected = reference.remove();
      assertThat(queue.pop()).isTrue();
      assertThat(new Event(queue.now(), queue.event())).as("seed %d", seed).isEqualTo(expected);
    }
    assertThat(queue.pop()).isFalse();
    assertThat(queue.nextTime()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldPopTheSmallerEventFirstAmongEqualTimes() {
    EventQueue queue = new EventQueue();
    for (int i = 99; i >= 0; i--) {
      queue.push(1000, i);
    }
    for (int i = 0; i < 100; i++) {
      queue.pop();
      assertThat(queue.event()).isEqualTo(i);
    }
  }

  @Test
  void shouldRefuseThePast() {
    EventQueue queue = new EventQueue();
    queue.push(10, 1);
    queue.pop();
    assertThatThrownBy(() -> queue.push(9, 1)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 ps");
    assertThatThrownBy(() -> queue.pushLate(9, 1)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9 ps");
  }
}
