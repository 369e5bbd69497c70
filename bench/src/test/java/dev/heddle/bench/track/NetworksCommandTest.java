package dev.heddle.bench.track;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworksCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Track.execute(arguments, new PrintWriter(out, true), new PrintWriter(err, true));
  }

  @Test
  void shouldSendFromEveryHostToAnotherWhenMatrixIsDrawn() {
    List<Integer> destinations = NetworksCommand.permutation(128);
    assertThat(destinations).doesNotHaveDuplicates().hasSize(128);
    for (int host = 0; host < 128; host++) {
      assertThat(destinations.get(host)).isBetween(0, 127).isNotEqualTo(host);
    }
    assertThat(NetworksCommand.matrix(List.of(1, 0), 4096)).isEqualTo(
        "Nodes 2\nConnections 2\n0->1 id 1 start 0 size 4096\n1->0 id 2 start 0 size 4096\n");
  }

  @Test
  void shouldCompareAllThreeWhenProgramOfHtsimIsGiven(@TempDir Path folder) throws IOException {
    Path program = folder.resolve("htsim_uec");
    Files.writeString(program, "#!/bin/sh\nfor flow in $(seq 16); do echo \"Flow $flow finished at 1\"; done\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    int code = run("networks", "--hosts", "16", "--mib", "1", "--rounds", "1", "--runs", "1", "--htsim",
        program.toString());
    assertThat(err.toString()).isEmpty();
    assertThat(code).isZero();
    assertThat(out.toString()).contains("16 hosts, 1 MiB each: ", "nscc / credits: ", "nscc / htsim: ",
        "of an unknown commit, options of 40ccb05");
  }

  @Test
  void shouldSayWhatIsWrongWhenInputIs(@TempDir Path folder) {
    assertThat(run("networks", "--hosts", "100")).isEqualTo(Track.BAD_INPUT);
    assertThat(run("networks", "--rounds", "0")).isEqualTo(Track.BAD_INPUT);
    assertThat(run("networks", "--htsim", folder.resolve("none").toString())).isEqualTo(Track.BAD_INPUT);
    assertThat(err.toString().lines()).hasSize(3)
        .anyMatch(line -> line.contains("--hosts: 100 is not k cubed over 4"))
        .anyMatch(line -> line.contains("at least 1"))
        .anyMatch(line -> line.contains("is no program"));
  }
}
