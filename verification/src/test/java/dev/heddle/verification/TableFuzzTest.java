package dev.heddle.verification;

import dev.heddle.cli.nccl.NcclCommands;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.FuzzCampaign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mutated measurements of a user: folders for {@code validate --data}, logs of messages for calibration, and files with
 * nothing but a cluster. {@link FuzzCampaign} has the properties of a long campaign.
 */
class TableFuzzTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new NcclCommands());
  private static final int INPUTS = 20;
  private static final Path TABLES = Path.of("src/test/resources/own-tables").toAbsolutePath();
  private static final Path LOGS = Path.of("../collectives-nccl/src/test/resources/measured").toAbsolutePath();
  private static final List<Class<? extends Exception>> REFUSALS = List.of(
      ScenarioException.class, InvalidSettingException.class, RegistryException.class);

  @TempDir
  private Path folder;

  private enum Format {
    NCCL_TABLE(TABLES.resolve("rings.csv")), NCCL_TABLE_CLUSTER(TABLES.resolve("edr-rails.yaml")),
    TRAINING_TABLE(TABLES.resolve("fuzzed/iterations.csv")), KERNEL_TABLE(TABLES.resolve("fuzzed/products.csv")),
    EXCHANGE_TABLE(TABLES.resolve("fuzzed/exchanges.csv")), HPL_TABLE(TABLES.resolve("fuzzed/hpl.csv")),
    HTSIM_TABLE(TABLES.resolve("fuzzed/htsim.csv")), BARE_CLUSTER(TABLES.resolve("fuzzed/cluster.yaml")),
    OSU_LOG(LOGS.resolve("osu-7.4-latency.txt")),
    PERFTEST_LOG(LOGS.resolve("perftest-24.01-write-bw.txt"));

    private final Path sample;

    Format(Path sample) {
      this.sample = sample;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadOrRefuseAnyInput(Format format) throws Exception {
    Path file = folder.resolve(format.sample.getFileName().toString());
    if (format == Format.NCCL_TABLE_CLUSTER) {
      Files.copy(TABLES.resolve("rings.csv"), folder.resolve("rings.csv"));
    } else if (format == Format.NCCL_TABLE) {
      Files.copy(TABLES.resolve("edr-rails.yaml"), folder.resolve("edr-rails.yaml"));
    }
    if (format == Format.HTSIM_TABLE) {
      Files.copy(TABLES.resolve("fuzzed/one.cm"), folder.resolve("one.cm"));
    }
    System.out.println(new FuzzCampaign(REFUSALS, INPUTS).run(format.name(), Files.readAllBytes(format.sample),
        input -> {
          Files.write(file, input);
          read(format, file);
        }));
  }

  private void read(Format format, Path file) throws Exception {
    switch (format) {
      case NCCL_TABLE, NCCL_TABLE_CLUSTER -> new NcclSuite().run(Optional.of(folder), COMMANDS.registry());
      case TRAINING_TABLE -> new TrainingSuite().run(Optional.of(folder));
      case KERNEL_TABLE -> new KernelsSuite().run(Optional.of(folder));
      case EXCHANGE_TABLE -> new ExchangeSuite().run(Optional.of(folder));
      case HTSIM_TABLE -> new NetworksSuite().run(Optional.of(folder));
      case HPL_TABLE -> new HplRunsSuite().run(Optional.of(folder));
      case BARE_CLUSTER ->
        COMMANDS.require("nccl", "explain", "all_reduce", "--size", "1M", "--cluster", file.toString());
      case OSU_LOG, PERFTEST_LOG -> COMMANDS.require(
          "calibrate", "nccl", file.toString(), "--cluster", "hgx-h100", "--nodes", "2");
      default -> throw new IOException("no reader of " + format);
    }
  }

}
