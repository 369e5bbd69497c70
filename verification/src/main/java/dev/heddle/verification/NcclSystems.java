package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Machines and the tables measured on them: {@code systems.yaml} of a folder of tables.
 *
 * @param systems by name
 * @param lists files that hold many tables
 * @param tables files that hold one
 */
record NcclSystems(
    @Setting("machines by name") Map<String, Machine> systems,
    @Setting("files that hold many tables each") List<TableList> lists,
    @Setting("tables to compare") List<Measurement> tables) {
  NcclSystems {
    systems = ImmutableMap.copyOf(systems);
    lists = ImmutableList.copyOf(lists);
    tables = ImmutableList.copyOf(tables);
  }

  /**
   * A machine.
   *
   * @param cluster id of the preset that describes it
   * @param nccl version
   * @param environment variables of NCCL
   * @param machine whose it is: systems of one machine are left out of a fit together; absent: the system's name
   * @param network preset of its network's times without {@code nccl-}; absent within a node
   * @param timing its times, where they are not those of its GPUs' generation"
          + " and its network
   * @param nics rate at which messages between GPUs leave a node by all its NICs, as measured without NCCL; absent: by
   *     its links
   * @param tuner choices of a tuner plug-in, where it has one; for greater sizes NCCL's own stands
   */
  record Machine(
      @Setting("id of the cluster's preset") String cluster,
      @Setting("version of NCCL, such as 2.29.2") String nccl,
      @Setting("variables of NCCL") Map<String, String> environment,
      @Setting("whose it is: systems of one machine are left out of a fit together") Optional<String> machine,
      @Setting("its network: infiniband, roce, efa, slingshot, fastrak, tcpx or socket") Optional<String> network,
      @Setting("its times, where they are not those of its GPUs' generation"
          + " and its network") Optional<MachineTiming> timing,
      @Setting("rate at which messages between GPUs leave a node by all its NICs, as measured without NCCL; without it,"
          + " by its links") Optional<DataRate> nics,
      @Setting("choices of a tuner plug-in, from small to large") List<Planned> tuner) {
    Machine {
      environment = ImmutableMap.copyOf(environment);
      tuner = ImmutableList.copyOf(tuner);
    }

    /** The choice by size of a plug-in. */
    Optional<Planned> choice(long bytes) {
      return tuner.stream().filter(each -> each.holds(bytes)).findFirst();
    }
  }

  /**
   * A file with the columns system, nccl, op, dtype, gpus, bytes and ms, whose rows are of one node each.
   *
   * @param file beside this one
   * @param systems machines by their name in the file; rows of others are not compared
   * @param libraries versions of the library that ran, by machine and version in the file, where they differ
   */
  record TableList(
      @Setting("file beside this one") String file,
      @Setting("machines by their name in the file") Map<String, Machine> systems,
      @Setting("versions of the library that ran, by machine and version in the file as 'gb200 2.23', where they"
          + " differ") Map<String, String> libraries) {
    TableList {
      systems = ImmutableMap.copyOf(systems);
      libraries = ImmutableMap.copyOf(libraries);
    }

    /** The version that ran, of rows of a machine with a version in the file. */
    String library(String system, String label) {
      return libraries.getOrDefault(system + " " + label, label);
    }
  }

  /**
   * A choice instead of the tuner's.
   *
   * @param upTo greatest size that it serves; absent: all greater ones
   */
  record Planned(
      @Setting("algorithm") Algorithm algorithm,
      @Setting("protocol") Protocol protocol,
      @Setting(value = "channels that it runs on", min = "1", max = "256") int channels,
      @Setting("greatest size that it serves; without it, all greater ones") Optional<DataSize> upTo) {
    boolean holds(long bytes) {
      return upTo.map(size -> bytes <= size.bytes()).orElse(true);
    }
  }

  /**
   * A table.
   *
   * @param file beside this one
   * @param system name of the machine
   * @param nodes that took part
   * @param gpusPerProcess of a node, in their order
   * @param nccl version, where it is not the machine's
   * @param environment more variables of NCCL
   * @param suspectFrom the least size of the rows that are set aside, as their source calls them suspect or does not
   *     vouch for them
   * @param suspectTo the greatest of them
   * @param heldOut whether no fit uses it, as it was collected when the model stood
   */
  record Measurement(
      @Setting("file beside this one") String file,
      @Setting("name of the machine") String system,
      @Setting(value = "nodes that took part", def = "1", min = "1", max = "100000") int nodes,
      @Setting(value = "GPUs of a node that one process drove", def = "1", min = "1", max = "72") int gpusPerProcess,
      @Setting("version of NCCL, where it is not the machine's") Optional<String> nccl,
      @Setting("more variables of NCCL") Map<String, String> environment,
      @Setting("the least size of the rows that are set aside") Optional<DataSize> suspectFrom,
      @Setting("the greatest size of the rows that are set aside") Optional<DataSize> suspectTo,
      @Setting(value = "whether no fit uses it, as it was collected when the model stood",
          def = "false") boolean heldOut) {
    Measurement {
      environment = ImmutableMap.copyOf(environment);
    }

    boolean suspect(long bytes) {
      return suspectFrom.isPresent() && bytes >= suspectFrom.get().bytes()
          && suspectTo.isPresent() && bytes <= suspectTo.get().bytes();
    }
  }
}
