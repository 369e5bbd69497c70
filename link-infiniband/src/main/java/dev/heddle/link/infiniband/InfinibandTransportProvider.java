package dev.heddle.link.infiniband;

import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.units.SimTime;

/**
 * Provides InfiniBand's reliable connections with its congestion control: switches mark packets (FECN), receivers
 * notify senders (BECN), and these wait between packets as a table says.
 */
@Plugin(id = "infiniband", description = "InfiniBand's reliable connections with congestion control by FECN and BECN")
public final class InfinibandTransportProvider
    implements
      TransportProtocolProvider<InfinibandTransportProvider.Settings> {
  private static final String CC_MGR = "MLNX_OFED user manual rev. 2.3, congestion control manager";
  private static final String ANNEX = "InfiniBand Architecture Specification vol. 1, annex A10";

  // A receiver answers each mark.
  private static final long EACH_PS = 1;

  /**
   * Settings of the transport.
   *
   * @param cctiIncrease steps in the table per notification
   * @param cctiTimer time after which the index falls by one
   * @param cctiMin least index
   * @param cctiLimit largest index
   * @param shift power of two that divides the table's delays
   * @param timeout time after which a packet is taken for lost
   */
  public record Settings(
      @Setting(value = "steps in the congestion control table per notification (CCTI_Increase)", def = "1", min = "1",
          max = "255", source = CC_MGR) int cctiIncrease,
      @Setting(value = "time after which the index into the table falls by one (CCTI_Timer), in units of 1.024 us;"
          + " 150 units, as the manager's own depends on the number of nodes by a rule that is not public",
          def = "153.6 us", min = "1.024 us", max = "67108.864 us", source = ANNEX) SimTime cctiTimer,
      @Setting(value = "least index (CCTI_Min)", def = "0", min = "0", max = "16383", source = CC_MGR) int cctiMin,
      @Setting(value = "largest index (CCTI_Limit)", def = "127", min = "1", max = "16383", source = ANNEX
          + ": blocks of 64 entries, two taken") int cctiLimit,
      @Setting(value = "power of two by which the table's delays are divided: entry i delays by i packet times over it"
          + " (CCT_Shift)", def = "0", min = "0", max = "3",
          source = ANNEX + ", and Linux hfi1, set_link_ipg") int shift,
      @Setting(value = "time after which a packet is taken for lost", def = "67.108864 ms", min = "1 us", max = "10 s",
          source = ANNEX + "; local ACK timeout 14: 4.096 us * 2^14") SimTime timeout) {
    /** The defaults. */
    public static Settings defaults() {
      return new Settings(1, SimTime.parse("153.6 us"), 0, 127, 0, SimTime.parse("67.108864 ms"));
    }
  }

  private record InfinibandTransport(Settings settings) implements TransportProtocol {
    @Override
    public LossRecovery lossRecovery() {
      return LossRecovery.GO_BACK_N;
    }

    @Override
    public CongestionControl connect(ConnectionPath path) {
      return new CctControl(path, settings);
    }

    @Override
    public long timeoutPs(ConnectionPath path) {
      return Math.max(settings.timeout().ps(), 2 * path.baseRttPs());
    }

    @Override
    public long notificationPs() {
      return EACH_PS;
    }
  }

  @Override
  public TransportProtocol create(Settings settings) {
    if (settings.cctiMin() > settings.cctiLimit()) {
      throw new InvalidSettingException(
          "cctiMin", settings.cctiMin() + " is above the limit of " + settings.cctiLimit());
    }
    return new InfinibandTransport(settings);
  }
}
