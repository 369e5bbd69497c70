package dev.heddle.testkit.contract;

import static dev.heddle.testkit.contract.Contracts.failures;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.Credits;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkProvider;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.DataRate;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Links that break one rule each; the contract must catch every one of them. */
class BrokenLinksTest {
  /** No settings. */
  record Nothing() {}

  /** A sound link of 100 Gb/s from which the broken ones differ. */
  static class SoundLink implements Link {
    private final Link sound = Fabrics.link("100 Gb/s");

    @Override
    public DataRate rate() {
      return sound.rate();
    }

    @Override
    public long latencyPs() {
      return sound.latencyPs();
    }

    @Override
    public int maxPayloadBytes() {
      return sound.maxPayloadBytes();
    }

    @Override
    public long wirePs(int payloadBytes, int trafficClass) {
      return sound.wirePs(payloadBytes, trafficClass);
    }

    @Override
    public long wireBytes(int payloadBytes, int trafficClass) {
      return sound.wireBytes(payloadBytes, trafficClass);
    }

    @Override
    public long headPs(int payloadBytes, int trafficClass) {
      return sound.headPs(payloadBytes, trafficClass);
    }

    @Override
    public long ackPs(int payloadBytes, int trafficClass) {
      return sound.ackPs(payloadBytes, trafficClass);
    }

    @Override
    public List<Credits> credits() {
      return sound.credits();
    }
  }

  abstract static class ToyContract extends LinkContract<Nothing> {
    abstract Link link();

    @Override
    protected Provider<Nothing, Link> provider() {
      return new Toy(this);
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

  /** Hands out the link of a contract under test; it has state, so PROVIDER-1 fails too. */
  public record Toy(ToyContract contract) implements LinkProvider<Nothing> {
    @Override
    public String id() {
      return "toy";
    }

    @Override
    public String description() {
      return "A toy";
    }

    @Override
    public Class<Nothing> settings() {
      return Nothing.class;
    }

    @Override
    public Link create(Nothing settings) {
      return contract.link();
    }
  }

  static class Sound extends ToyContract {
    @Override
    Link link() {
      return new SoundLink();
    }
  }

  static class FasterThanItsRate extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long wirePs(int payloadBytes, int trafficClass) {
          return super.wirePs(payloadBytes, trafficClass) - (payloadBytes == 1 << 30 ? 1 : 0);
        }
      };
    }
  }

  static class Forgetful extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        private long calls;

        @Override
        public synchronized long ackPs(int payloadBytes, int trafficClass) {
          return super.ackPs(payloadBytes, trafficClass) + calls++;
        }
      };
    }
  }

  static class FreeOverhead extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long wireBytes(int payloadBytes, int trafficClass) {
          return super.wireBytes(payloadBytes, trafficClass) + 64;
        }
      };
    }
  }

  static class MiscountedPackets extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public int packets(int payloadBytes) {
          return payloadBytes < 0 ? super.packets(payloadBytes) : payloadBytes / maxPayloadBytes() + 1;
        }
      };
    }
  }

  static class HeadOfWholeTrain extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long headPs(int payloadBytes, int trafficClass) {
          return wirePs(payloadBytes, trafficClass);
        }
      };
    }
  }

  static class NegativeLatency extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long latencyPs() {
          return -1;
        }
      };
    }
  }

  static class NoCredits extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public List<Credits> credits() {
          return List.of();
        }
      };
    }
  }

  static class NegativeAcknowledgements extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long ackPs(int payloadBytes, int trafficClass) {
          return super.ackPs(payloadBytes, trafficClass) - 1;
        }
      };
    }
  }

  static class TakesNegativePayload extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public long headPs(int payloadBytes, int trafficClass) {
          return payloadBytes < 0 ? 1 : super.headPs(payloadBytes, trafficClass);
        }
      };
    }
  }

  static class ChangingWire extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        private int calls;

        @Override
        public Medium medium() {
          return calls++ % 2 == 0 ? Medium.BUS : Medium.PEER;
        }
      };
    }
  }

  static class HalfDuplexOneWayOnly extends ToyContract {
    @Override
    Link link() {
      return new SoundLink() {
        @Override
        public boolean halfDuplex() {
          return true;
        }
      };
    }
  }

  private static final String STATE = "provider1ShouldHavePublicConstructorWithoutParametersAndNoState";

  @Test
  void shouldFailNoLinkRuleWhenLinkIsSound() {
    assertThat(failures(Sound.class)).containsExactly(STATE);
  }

  @Test
  void shouldFailRule1WhenAnswersChange() {
    assertThat(failures(Forgetful.class))
        .containsExactlyInAnyOrder(STATE, "link1ShouldAnswerAlikeAtEveryCallAndFromEveryThread");
  }

  @Test
  void shouldFailRules2And3WhenFasterThanRateByOnePicosecond() {
    assertThat(failures(FasterThanItsRate.class))
        .contains("link2ShouldTakePositiveMonotoneTimeNeverFasterThanRate",
            "link3ShouldPutPayloadAndOverheadOnWireAtItsRate");
  }

  @Test
  void shouldFailRule3WhenOverheadTakesNoTime() {
    assertThat(failures(FreeOverhead.class))
        .containsExactlyInAnyOrder(STATE, "link3ShouldPutPayloadAndOverheadOnWireAtItsRate");
  }

  @Test
  void shouldFailRule4WhenPacketsAreMiscounted() {
    assertThat(failures(MiscountedPackets.class)).containsExactlyInAnyOrder(STATE, "link4ShouldCountPackets");
  }

  @Test
  void shouldFailRule5WhenHeadIsWholeTrain() {
    assertThat(failures(HeadOfWholeTrain.class))
        .containsExactlyInAnyOrder(STATE, "link5ShouldHaveHeadWithinUnitAndAlikeForEveryTrain");
  }

  @Test
  void shouldFailRule6WhenLatencyIsNegative() {
    assertThat(failures(NegativeLatency.class))
        .containsExactlyInAnyOrder(STATE, "link6ShouldHaveConstantLatencyOfAtLeastZero");
  }

  @Test
  void shouldFailRule7WhenThereIsNoVirtualChannel() {
    assertThat(failures(NoCredits.class))
        .containsExactlyInAnyOrder(STATE, "link7ShouldHaveConstantCreditsForOneToEightVirtualChannels");
  }

  @Test
  void shouldFailRule8WhenAcknowledgementsTakeNegativeTime() {
    assertThat(failures(NegativeAcknowledgements.class))
        .containsExactlyInAnyOrder(STATE, "link8ShouldTakeAtLeastNoTimeForAcknowledgements");
  }

  @Test
  void shouldFailRule9WhenNegativePayloadIsTaken() {
    assertThat(failures(TakesNegativePayload.class))
        .containsExactlyInAnyOrder(STATE, "link9ShouldRefuseNegativePayload");
  }

  @Test
  void shouldFailRule10WhenKindOfWireChanges() {
    assertThat(failures(ChangingWire.class)).containsExactlyInAnyOrder(STATE, "link10ShouldBeOneKindOfWire");
  }

  @Test
  void shouldFailRule14WhenAHalfDuplexWireDoesNotOccupyTheOtherDirection() {
    assertThat(failures(HalfDuplexOneWayOnly.class))
        .containsExactlyInAnyOrder(STATE, "link14ShouldOccupyBothDirectionsWhenTheyShareAWire");
  }
}
