package dev.heddle.testkit.contract;

import static dev.heddle.testkit.contract.Contracts.failures;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workloads that break one rule each; the contract must catch every one of them. */
class BrokenWorkloadsTest {
  /** The fault of a toy. */
  enum Fault {
    NONE, SHARED_RANDOM, SAME_TERMINAL_TWICE, UNMATCHED_SEND, SENDS_TO_ITSELF, GOES_ON, ALLOCATES, BACK_IN_TIME
  }

  /** The settings of a toy. */
  record Settings(@Setting("its fault") Fault fault) {}

  /** A ring of ten messages, but for the fault. */
  public static final class Toy implements WorkloadProvider<Settings> {
    @Override
    public String id() {
      return "toy";
    }

    @Override
    public String description() {
      return "A ring";
    }

    @Override
    public Class<Settings> settings() {
      return Settings.class;
    }

    @Override
    public Workload create(Settings settings) {
      return new Ring(settings.fault(), RandomStream.of(1, "shared", "sizes"));
    }
  }

  private record Ring(Fault fault, RandomStream shared) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(ranks(cluster), this::program);
    }

    private int[] ranks(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      if (fault == Fault.SAME_TERMINAL_TWICE) {
        ranks[1] = ranks[0];
      }
      return ranks;
    }

    private Program program(int rank, WorkloadContext context) {
      return new RingProgram(this, rank, context.ranks());
    }
  }

  private static final class RingProgram implements Program {
    private final Ring ring;
    private final int next;
    private final int previous;
    private int done;
    private Object last = "";

    RingProgram(Ring ring, int rank, int ranks) {
      this.ring = ring;
      this.next = ring.fault() == Fault.SENDS_TO_ITSELF ? rank : (rank + 1) % ranks;
      this.previous = (rank + ranks - 1) % ranks;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      Fault fault = ring.fault();
      int end = fault == Fault.ALLOCATES ? 30_000 : 20;
      if (done >= end) {
        done++;
        return fault == Fault.GOES_ON && done == end + 5;
      }
      if (fault == Fault.ALLOCATES) {
        last = new long[8];
      }
      if (fault == Fault.BACK_IN_TIME) {
        operation.generate(100 - done, next, 1, 0);
      } else if (done % 2 == 0) {
        operation.send(next, fault == Fault.SHARED_RANDOM ? ring.shared().nextInt(100) : 8, 0, 0);
      } else {
        operation.receive(previous, fault == Fault.UNMATCHED_SEND ? 1 : 0);
      }
      done++;
      return !last.equals(operation);
    }
  }

  abstract static class ToyContract extends WorkloadContract<Settings> {
    abstract Fault fault();

    @Override
    protected Provider<Settings, Workload> provider() {
      return new Toy();
    }

    @Override
    protected List<Settings> settings() {
      return List.of(new Settings(fault()));
    }

    @Override
    protected boolean registered() {
      return false;
    }
  }

  static class Sound extends ToyContract {
    @Override
    Fault fault() {
      return Fault.NONE;
    }
  }

  static class SharedRandom extends ToyContract {
    @Override
    Fault fault() {
      return Fault.SHARED_RANDOM;
    }
  }

  static class SameTerminalTwice extends ToyContract {
    @Override
    Fault fault() {
      return Fault.SAME_TERMINAL_TWICE;
    }
  }

  static class UnmatchedSend extends ToyContract {
    @Override
    Fault fault() {
      return Fault.UNMATCHED_SEND;
    }
  }

  static class SendsToItself extends ToyContract {
    @Override
    Fault fault() {
      return Fault.SENDS_TO_ITSELF;
    }
  }

  static class GoesOn extends ToyContract {
    @Override
    Fault fault() {
      return Fault.GOES_ON;
    }
  }

  static class Allocates extends ToyContract {
    @Override
    Fault fault() {
      return Fault.ALLOCATES;
    }
  }

  static class BackInTime extends ToyContract {
    @Override
    Fault fault() {
      return Fault.BACK_IN_TIME;
    }
  }

  @Test
  void shouldFailNothingWhenWorkloadIsSound() {
    assertThat(failures(Sound.class)).isEmpty();
  }

  @Test
  void shouldFailRule1WhenTerminalHasTwoRanks() {
    assertThat(failures(SameTerminalTwice.class))
        .containsExactly("workload1ShouldNameDistinctTerminalsAlikeAtEveryCall");
  }

  @Test
  void shouldFailRule2WhenProgramDependsOnOrderOfAsking() {
    assertThat(failures(SharedRandom.class)).contains("workload2ShouldProgramAlikeInWhicheverOrderRanksAreAsked");
  }

  @Test
  void shouldFailRule3WhenSendHasNoReceive() {
    assertThat(failures(UnmatchedSend.class)).containsExactly("workload3ShouldMatchEverySendWithReceiveWhenItEnds");
  }

  @Test
  void shouldFailRule4WhenRankSendsToItself() {
    assertThat(failures(SendsToItself.class)).contains("workload4ShouldSendToOtherRanksOnly");
  }

  @Test
  void shouldFailProgramRule3WhenEndedStreamGoesOn() {
    assertThat(failures(GoesOn.class)).contains("program3ShouldStayEndedWhenItHasEnded");
  }

  @Test
  void shouldFailProgramRule4WhenNextAllocates() {
    assertThat(failures(Allocates.class)).containsExactly("program4ShouldAllocateNothingUnlessDeclined");
  }

  @Test
  void shouldFailOperationsWhenTimeRunsBackwards() {
    assertThat(failures(BackInTime.class)).contains("operationsShouldBeGeneratedInOrderOfTimeBeforeTheEnd");
  }
}
