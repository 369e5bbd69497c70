package dev.heddle.testkit.contract;

import static dev.heddle.testkit.contract.Contracts.failures;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.SwitchProvider;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Switches that break their rules; the contract must catch them. */
class BrokenSwitchesTest {
  /** No settings. */
  record Nothing() {}

  /** A switch whose latency changes between calls and whose buffers are negative. */
  public static final class Toy implements SwitchProvider<Nothing> {
    private static final AtomicLong LATENCY = new AtomicLong(-1_000_000);

    @Override
    public String id() {
      return "toy";
    }

    @Override
    public String description() {
      return "A switch that breaks its rules";
    }

    @Override
    public Class<Nothing> settings() {
      return Nothing.class;
    }

    @Override
    public Switch create(Nothing settings) {
      return new Drifting();
    }

    private record Drifting() implements Switch {
      @Override
      public long latencyPs() {
        return LATENCY.getAndIncrement();
      }

      @Override
      public Switching switching() {
        return Switching.CUT_THROUGH;
      }

      @Override
      public Buffering buffering() {
        return Buffering.INPUT;
      }

      @Override
      public Arbitration arbitration() {
        return Arbitration.AGE;
      }

      @Override
      public int inputBufferBytes() {
        return -1;
      }

      @Override
      public int outputBufferBytes() {
        return 0;
      }
    }
  }

  /** A switch that names a fair arbitration when asked once, and has a fixed priority afterwards. */
  public static final class Unfair implements SwitchProvider<Nothing> {
    @Override
    public String id() {
      return "unfair";
    }

    @Override
    public String description() {
      return "A switch that says one arbitration and does another";
    }

    @Override
    public Class<Nothing> settings() {
      return Nothing.class;
    }

    @Override
    public Switch create(Nothing settings) {
      return new Favouring();
    }

    private static final class Favouring implements Switch {
      private int asked;

      @Override
      public long latencyPs() {
        return 100_000;
      }

      @Override
      public Switching switching() {
        return Switching.CUT_THROUGH;
      }

      @Override
      public Buffering buffering() {
        return Buffering.VIRTUAL_OUTPUT;
      }

      @Override
      public Arbitration arbitration() {
        return asked++ == 0 ? Arbitration.ROUND_ROBIN : Arbitration.FIXED_PRIORITY;
      }

      @Override
      public int inputBufferBytes() {
        return 0;
      }

      @Override
      public int outputBufferBytes() {
        return 0;
      }
    }
  }

  static class Starving extends SwitchContract<Nothing> {
    @Override
    protected Provider<Nothing, Switch> provider() {
      return new Unfair();
    }

    @Override
    protected List<Nothing> settings() {
      return List.of(new Nothing());
    }

    @Override
    protected boolean registered() {
      return false;
    }
  }

  static class Broken extends SwitchContract<Nothing> {
    @Override
    protected Provider<Nothing, Switch> provider() {
      return new Toy();
    }

    @Override
    protected List<Nothing> settings() {
      return List.of(new Nothing());
    }

    @Override
    protected boolean registered() {
      return false;
    }
  }

  @Test
  void shouldFailStaticRulesWhenSwitchBreaksThem() {
    assertThat(failures(Broken.class))
        .contains(
            "switch1ShouldAnswerAlikeAtEveryCall",
            "switch2ShouldHaveLatencyOfAtLeastZero",
            "switch3ShouldHaveBuffersOfAtLeastZero");
  }

  @Test
  void shouldFailRule5WhenOneInputIsAlwaysFirst() {
    assertThat(failures(Starving.class))
        .containsExactlyInAnyOrder(
            "switch1ShouldAnswerAlikeAtEveryCall", "switch5ShouldServeAllInputsAlikeUnlessPriorityIsFixed");
  }
}
