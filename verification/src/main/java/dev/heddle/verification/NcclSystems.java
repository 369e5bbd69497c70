package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tables and their machines: {@code systems.yaml} of a folder of tables.
 *
 * @param systems by name
 * @param tables to compare
 */
record NcclSystems(
    @Setting("machines by name") Map<String, Machine> systems,
    @Setting("tables to compare") List<Measurement> tables) {
  NcclSystems {
    systems = ImmutableMap.copyOf(systems);
    tables = ImmutableList.copyOf(tables);
  }

  /**
   * A machine.
   *
   * @param cluster id of the preset that describes it
   * @param nccl version
   * @param environment variables of NCCL
   * @param timing its times
   * @param planned algorithm, where a library other than NCCL chooses it
   */
  record Machine(
      @Setting("id of the cluster's preset") String cluster,
      @Setting("version of NCCL, such as 2.29.2") String nccl,
      @Setting("variables of NCCL") Map<String, String> environment,
      @Setting("times of its GPUs, hosts and network") MachineTiming timing,
      @Setting("algorithm, where a library other than NCCL chooses it") Optional<Planned> planned) {
    Machine {
      environment = ImmutableMap.copyOf(environment);
    }
  }

  /**
   * A choice that is given, not made.
   *
   * @param algorithm of NCCL
   * @param protocol of NCCL
   * @param channels that it runs on
   */
  record Planned(
      @Setting("algorithm") Algorithm algorithm,
      @Setting("protocol") Protocol protocol,
      @Setting(value = "channels that it runs on", min = "1", max = "256") int channels) {}

  /**
   * A table.
   *
   * @param file in the same folder
   * @param system name of the machine
   * @param nodes that took part
   * @param gpusPerProcess of a node, in their order
   * @param nccl version, where it is not the machine's
   * @param environment more variables of NCCL
   * @param suspectFrom the least size of those rows that are suspect according to their source
   * @param suspectTo the greatest of them
   */
  record Measurement(
      @Setting("file in the same folder") String file,
      @Setting("name of the machine") String system,
      @Setting(value = "nodes that took part", def = "1", min = "1", max = "100000") int nodes,
      @Setting(value = "GPUs of a node that one process drove", def = "1", min = "1", max = "72") int gpusPerProcess,
      @Setting("version of NCCL, where it is not the machine's") Optional<String> nccl,
      @Setting("more variables of NCCL") Map<String, String> environment,
      @Setting("the least size of the rows that their source calls suspect") Optional<DataSize> suspectFrom,
      @Setting("the greatest size of the rows that their source calls suspect") Optional<DataSize> suspectTo) {
    Measurement {
      environment = ImmutableMap.copyOf(environment);
    }

    boolean suspect(long bytes) {
      return suspectFrom.isPresent() && bytes >= suspectFrom.get().bytes()
          && suspectTo.isPresent() && bytes <= suspectTo.get().bytes();
    }
  }
}
