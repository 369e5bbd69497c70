package dev.heddle.transport.roce;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.TransportProtocolProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Provides the transport of RDMA over converged Ethernet, with a choice of congestion control. */
@Plugin(id = "roce", description = "RDMA over converged Ethernet with DCQCN, DCTCP, HPCC, HPCC-PINT, TIMELY or Swift")
public final class RoceTransportProvider implements TransportProtocolProvider<RoceTransportProvider.Settings> {
  /** Congestion control. */
  public enum Congestion {
    /** None: the line rate, and whatever the switches' flow control allows. */
    NONE,
    /** Rates that follow congestion notifications [Zhu et al. 2015]. */
    DCQCN,
    /** Windows that follow the share of marks [Alizadeh et al. 2010]. */
    DCTCP,
    /** Windows and rates that follow telemetry [Li et al. 2019]. */
    HPCC,
    /** Windows and rates that follow the busiest link's utilisation, in two bytes [Ben Basat et al. 2020]. */
    HPCC_PINT,
    /** Rates that follow the gradient of the round-trip time [Mittal et al. 2015]. */
    TIMELY,
    /** TIMELY with a fixed point [Zhu et al. 2016, §4.3]. */
    TIMELY_PATCHED,
    /** Windows that follow a target delay [Kumar et al. 2020]. */
    SWIFT
  }

  /** Spreading of a connection's packets over paths, where switches route by hash. */
  public enum LoadBalancing {
    /** All packets of a connection take one path: ECMP by queue pair. */
    FLOW,
    /** Packets after a gap take another path: a hash per flowlet [Vanini et al., LetFlow, NSDI 2017]. */
    FLOWLET,
    /** Each packet takes one of several paths at random. */
    SPRAY
  }

  /**
   * Settings of the transport.
   *
   * @param congestion control
   * @param recovery how lost packets are repeated
   * @param loadBalancing how packets spread over paths
   * @param flowletGap time without packets after which the next one begins a flowlet
   * @param paths entropy values per connection under spraying
   * @param timeout time after which a packet is taken for lost
   * @param window most bytes in flight in bandwidth-delay products; 0 for no limit besides that of the control
   * @param dcqcn parameters of DCQCN
   * @param hpcc parameters of HPCC
   * @param timely parameters of TIMELY
   * @param swift parameters of Swift
   */
  public record Settings(
      @Setting(value = "congestion control", def = "dcqcn") Congestion congestion,
      @Setting(value = "how lost packets are repeated", def = "go-back-n") TransportProtocol.LossRecovery recovery,
      @Setting(value = "how a connection's packets spread over paths, where switches route by hash",
          def = "flow") LoadBalancing loadBalancing,
      @Setting(value = "time without packets of a connection after which the next one takes another path",
          def = "100 us", min = "1 ps", max = "1 s",
          source = "conweave-project/conweave-ns3 236a801, letflow: 100 us") SimTime flowletGap,
      @Setting(value = "entropy values per connection under spraying", def = "64", min = "1", max = "65536") int paths,
      @Setting(value = "time after which a packet is taken for lost", def = "1 ms", min = "1 us",
          max = "10 s") SimTime timeout,
      @Setting(value = "most bytes in flight in bandwidth-delay products; 0 for no limit besides that of the control",
          def = "0", min = "0", max = "1000") int window,
      @Setting(value = "parameters of DCQCN", def = "{}") Dcqcn dcqcn,
      @Setting(value = "parameters of HPCC", def = "{}") Hpcc hpcc,
      @Setting(value = "parameters of TIMELY", def = "{}") Timely timely,
      @Setting(value = "parameters of Swift", def = "{}") Swift swift) {
    /** The defaults under a congestion control. */
    public static Settings of(Congestion congestion, TransportProtocol.LossRecovery recovery) {
      return new Settings(
          congestion, recovery, LoadBalancing.FLOW, SimTime.parse("100 us"), 64, SimTime.parse("1 ms"), 0,
          Dcqcn.defaults(), Hpcc.defaults(), Timely.defaults(),
          Swift.defaults());
    }
  }

  /**
   * Parameters of DCQCN.
   *
   * @param notification least time between two notifications of a connection
   * @param alphaPeriod time without a notification after which the estimate of congestion falls
   * @param increasePeriod time between two increases of the rate
   * @param increaseBytes bytes between two increases of the rate
   * @param stages increases that return to the rate before the last decrease
   * @param gain of the estimate, as the power of two that divides 1
   * @param additive increase of the target rate
   * @param hyper increase of the target rate after a long time without congestion
   * @param least rate
   */
  public record Dcqcn(
      @Setting(value = "least time between two notifications of a connection (N)", def = "50 us", min = "1 ps",
          source = DCQCN_PAPER) SimTime notification,
      @Setting(value = "time without a notification after which the estimate of congestion falls (K)", def = "55 us",
          min = "1 ps", source = DCQCN_PAPER) SimTime alphaPeriod,
      @Setting(value = "time between two increases of the rate (T)", def = "55 us", min = "1 ps",
          source = DCQCN_PAPER) SimTime increasePeriod,
      @Setting(value = "bytes between two increases of the rate (B)", def = "10 MB", min = "1 B",
          source = DCQCN_PAPER) DataSize increaseBytes,
      @Setting(value = "increases that return to the rate before the last decrease (F)", def = "5", min = "1",
          max = "100", source = DCQCN_PAPER) int stages,
      @Setting(value = "gain of the estimate of congestion, as the power of two that divides 1", def = "8", min = "1",
          max = "16", source = DCQCN_PAPER) int gain,
      @Setting(value = "increase of the target rate (R_AI)", def = "40 Mb/s", source = DCQCN_PAPER) DataRate additive,
      @Setting(value = "increase of the target rate after a long time without congestion (R_HAI)", def = "400 Mb/s",
          source = "ten times the additive increase, as in HPCC's simulator, run.py") DataRate hyper,
      @Setting(value = "least rate", def = "100 Mb/s",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, config.txt") DataRate least) {
    /** The defaults. */
    public static Dcqcn defaults() {
      SimTime period = SimTime.parse("55 us");
      return new Dcqcn(
          SimTime.parse("50 us"), period, period, DataSize.parse("10 MB"), 5, 8, DataRate.parse("40 Mb/s"),
          DataRate.parse("400 Mb/s"), DataRate.parse("100 Mb/s"));
    }
  }

  /**
   * Parameters of HPCC.
   *
   * @param utilisation target in percent
   * @param stages additive increases before a multiplicative one
   * @param additive increase of the rate
   * @param least rate
   * @param sampling share of packets that carry telemetry, of HPCC-PINT
   */
  public record Hpcc(
      @Setting(value = "target utilisation of the busiest link in percent (eta)", def = "95", min = "1", max = "100",
          source = "Li et al., HPCC, SIGCOMM 2019") int utilisation,
      @Setting(value = "additive increases before a multiplicative one (maxStage)", def = "0", min = "0", max = "100",
          source = "hpcc-group.github.io: the simulations used 0") int stages,
      @Setting(value = "increase of the rate (R_AI)", def = "50 Mb/s",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, README: --hpai 50") DataRate additive,
      @Setting(value = "least rate", def = "100 Mb/s",
          source = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, config.txt") DataRate least,
      @Setting(value = "share of packets that carry telemetry, of hpcc-pint", def = "100 %", min = "0.1 %",
          max = "100 %", source = "Ben Basat et al., PINT, SIGCOMM 2020: 1, 1/16 and 1/256") Fraction sampling) {
    /** The defaults. */
    public static Hpcc defaults() {
      return new Hpcc(95, 0, DataRate.parse("50 Mb/s"), DataRate.parse("100 Mb/s"), Fraction.of(1));
    }
  }

  /**
   * Parameters of TIMELY.
   *
   * @param low round-trip time below which the rate rises
   * @param high round-trip time above which the rate falls
   * @param leastRoundTrip round-trip time that scales gradients
   * @param additive increase of the rate
   * @param least rate
   */
  public record Timely(
      @Setting(value = "round-trip time below which the rate rises (T_low)", def = "50 us", min = "1 ps",
          source = TIMELY_CODE) SimTime low,
      @Setting(value = "round-trip time above which the rate falls (T_high)", def = "500 us", min = "1 ps",
          source = TIMELY_CODE) SimTime high,
      @Setting(value = "round-trip time that scales gradients", def = "20 us", min = "1 ps",
          source = TIMELY_CODE) SimTime leastRoundTrip,
      @Setting(value = "increase of the rate", def = "40 Mb/s", source = TIMELY_CODE) DataRate additive,
      @Setting(value = "least rate", def = "100 Mb/s", source = TIMELY_CODE) DataRate least) {
    /** The defaults. */
    public static Timely defaults() {
      return new Timely(
          SimTime.parse("50 us"), SimTime.parse("500 us"), SimTime.parse("20 us"), DataRate.parse("40 Mb/s"),
          DataRate.parse("100 Mb/s"));
    }
  }

  /**
   * Parameters of Swift.
   *
   * @param queueing delay beyond the base round-trip time that a window of 100 packets aims at
   * @param scaling most delay that small windows add to it, in multiples of it
   */
  public record Swift(
      @Setting(value = "queueing delay beyond the base round-trip time that large windows aim at", def = "10 us",
          min = "1 ps", source = SWIFT_CODE) SimTime queueing,
      @Setting(value = "most delay that small windows add, in multiples of it", def = "5", min = "0", max = "100",
          source = SWIFT_CODE) int scaling) {
    /** The defaults. */
    public static Swift defaults() {
      return new Swift(SimTime.parse("10 us"), 5);
    }
  }

  private static final String DCQCN_PAPER = "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, 2015";
  private static final String TIMELY_CODE = "alibaba-edu/High-Precision-Congestion-Control 9f4be2a, rdma-hw.cc";
  private static final String SWIFT_CODE = "ultraethernet/uet-htsim 40ccb05, swift.cpp: range of 5 targets";

  @Override
  public TransportProtocol create(Settings settings) {
    if (settings.timely().high().ps() <= settings.timely().low().ps()) {
      throw new InvalidSettingException("timely", "high " + settings.timely().high() + " is not above low "
          + settings.timely().low());
    }
    Optional<String> zero = settings.dcqcn().least().bitsPerSecond() < 1 || settings.hpcc().least().bitsPerSecond() < 1
        || settings.timely().least().bitsPerSecond() < 1 ? Optional.of("least") : Optional.empty();
    if (zero.isPresent()) {
      throw new InvalidSettingException("congestion", "a least rate of 0; a connection must be able to go on");
    }
    if (settings.loadBalancing() == LoadBalancing.SPRAY
        && settings.recovery() == TransportProtocol.LossRecovery.GO_BACK_N) {
      throw new InvalidSettingException("loadBalancing",
          "spray brings packets out of order, which go-back-n takes for lost; set recovery: selective-repeat");
    }
    return new RoceTransport(settings);
  }
}
