package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyCommandTest {
  @TempDir
  private Path folder;

  private static Cli verify(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "verify";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Cli.run(new EchoRunner(), all);
  }

  @Test
  void shouldPrintCountsWhenScheduleIsProved() {
    Cli cli = verify("{type: ring, channels: 2}", "--ranks", "4", "--size", "4 KiB");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("proved: ring all_reduce of 4096 B on 4 ranks", "messages 48", "rounds 6",
        "channels 2", "bytes sent 24576, per rank 6144 to 6144");
  }

  @Test
  void shouldListStepsWhenAsked() {
    Cli cli = verify("direct", "--op", "all_to_all", "--ranks", "2", "--list");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("rank 1 thread block 1 channel 0 to 0 from 0", "s i[0]", "r > o[0]");
  }

  @Test
  void shouldProveWhatItWroteWhenFileIsGiven() throws IOException {
    Path xml = folder.resolve("tree.xml");
    Path goal = folder.resolve("tree.goal");
    Cli written = verify("binomial-tree", "--op", "broadcast", "--ranks", "5", "--root", "3",
        "--msccl", xml.toString(), "--goal", goal.toString());
    assertThat(written.exitCode()).as(written.err()).isZero();
    assertThat(Files.readString(goal)).startsWith("num_ranks 5\n");
    Cli read = verify(xml.toString());
    assertThat(read.exitCode()).as(read.err()).isZero();
    assertThat(read.out()).contains("proved: binomial-tree broadcast of 1048576 B on 5 ranks, root 3", "messages 4");
  }

  @Test
  void shouldPointAtTheStepAndFailWhenFileIsWrong() throws IOException {
    Path xml = folder.resolve("ring.xml");
    verify("ring", "--ranks", "3", "--msccl", xml.toString());
    Files.writeString(xml, Files.readString(xml).replaceFirst("type=\"rrcs\" ", "type=\"rcs\" "));
    Cli cli = verify(xml.toString());
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(1);
    assertThat(cli.out()).contains("WRONG_RESULT at rank 0, channel 0, thread block 0, step 2");
  }

  @Test
  void shouldFindDeadlockWhenWindowIsTooSmall() {
    Cli cli = verify("ring", "--ranks", "3", "--window", "1");
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(1);
    assertThat(cli.out()).contains("DEADLOCK at rank 0").contains("cannot send before rank 1 receives");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      rnig --ranks 4 | did you mean 'ring'?
      ring --op all_redcue | did you mean 'all_reduce'?
      ring --op scatter | ring does not do scatter; it does all_reduce
      ring --ranks 0 | --ranks 0: must be 1 to 4096
      ring --size 4 | --size: '4'
      ring --root 1 | --root: all_reduce has no root
      ring --msccl none/x.xml | --msccl none/x.xml: cannot be written: there is no folder none
      ring --goal . | --goal .: cannot be written: it is a folder; name a file
      ring --window 0 | --window 0: must be at least 1
      ring --cluster none | --cluster: no file is called 'none', and no preset is called 'none'
      recursive-doubling --op all_gather --ranks 6 | on powers of two only, not on 6 ranks
      none.xml | none.xml: cannot be read: there is no such file
      """)
  void shouldSayWhatIsWrongWhenArgumentsCannotBe(String arguments, String message) {
    Cli cli = verify(arguments.split(" "));
    assertThat(cli.exitCode()).as(cli.out() + cli.err()).isEqualTo(2);
    assertThat(cli.err()).contains(message);
  }

  @Test
  void shouldProveSizesPerPairWhenTheyAreGiven() throws IOException {
    Path sizes = folder.resolve("experts.txt");
    Files.writeString(sizes, "# tokens of three experts\n0, 100, 7\n30 0 1\n5,5,5\n");
    Cli cli = verify("direct", "--op", "all_to_all_v", "--pairs", sizes.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("proved: direct all_to_all_v of 107 B on 3 ranks", "bytes sent 148,");
  }

  @ParameterizedTest
  @CsvSource({
      "'1 2\n3', needs a square", "'1 x\n3 4', sizes.txt:1: the bytes of a pair is", "'', needs a square",
      "'1 -2\n3 4', sizes.txt:1: the bytes of a pair is -2",
      "'9000000000000000000 9000000000000000000\n3 4', are too many bytes in all for a rank"
  })
  void shouldSayWhatIsWrongWithSizesPerPair(String text, String message) throws IOException {
    Path sizes = folder.resolve("sizes.txt");
    Files.writeString(sizes, text);
    Cli cli = verify("direct", "--op", "all_to_all_v", "--pairs", sizes.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains(message);
  }

  @Test
  void shouldAskForSizesPerPairWhereTheyAreNeededOnly() {
    assertThat(verify("direct", "--op", "all_to_all_v").err()).contains("all_to_all_v needs a file");
    assertThat(verify("ring", "--pairs", "no.txt").err()).contains("only all_to_all_v has a size per pair");
    assertThat(verify("direct", "--op", "all_to_all_v", "--pairs", "no.txt").err())
        .contains("no.txt: cannot be read: there is no such file");
  }
}
