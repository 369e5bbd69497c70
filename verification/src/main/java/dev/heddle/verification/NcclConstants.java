package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.calibration.ConstantSet;
import dev.heddle.collectives.nccl.timing.GpuTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Fitted constants: {@code constants.yaml} of a folder of tables. */
record NcclConstants(
    @Setting("fitted on all tables") Fit all,
    @Setting("for each machine, fitted on the tables of all others") Map<String, Fit> leftOut) {
  NcclConstants {
    leftOut = ImmutableMap.copyOf(leftOut);
  }

  /** A set of fitted constants. */
  record Fit(
      @Setting("by generation") Map<String, GpuTiming> gpus,
      @Setting("by id") Map<String, NetworkTiming> networks,
      @Setting("own constants of machines") Map<String, Own> machines) {
    Fit {
      gpus = ImmutableMap.copyOf(gpus);
      networks = ImmutableMap.copyOf(networks);
      machines = ImmutableMap.copyOf(machines);
    }

    ConstantSet set() {
      Map<String, Double> launches = new LinkedHashMap<>();
      Map<String, Double> shares = new LinkedHashMap<>();
      machines.forEach((name, own) -> {
        own.launch().ifPresent(time -> launches.put(name, time.nanos() / 1e3));
        own.efficiency().ifPresent(share -> shares.put(name, share));
      });
      return new ConstantSet(gpus, networks, launches, shares);
    }
  }

  /**
   * A machine's own constants.
   *
   * @param launch of its hosts
   * @param efficiency of its NICs
   */
  record Own(
      @Setting("launch of its hosts") Optional<SimTime> launch,
      @Setting("efficiency of its NICs") Optional<Double> efficiency) {}
}
