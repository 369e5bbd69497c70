package dev.heddle.workload.trace.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Schedule;
import dev.heddle.testkit.fixture.TextbookAlgorithms;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GoalWriterTest {
  @Test
  void shouldHaveEverySendReceivedWhenWrittenAsGoal() {
    Schedule schedule =
        TextbookAlgorithms.request(Collective.of(CollectiveOp.ALL_REDUCE, 8, 1 << 20))
            .schedule(TextbookAlgorithms.ring(1));
    List<String> lines = GoalWriter.write(schedule).lines().toList();
    assertThat(lines.get(0)).isEqualTo("num_ranks 8");
    assertThat(lines).filteredOn(line -> line.contains(": send 131072b to ")).hasSize(8 * 14);
    assertThat(lines).filteredOn(line -> line.contains(": recv 131072b from ")).hasSize(8 * 14);
    Pattern statement = Pattern.compile(
        "num_ranks \\d+|rank \\d+ \\{|}||l\\d+: (send|recv) \\d+b (to|from) \\d+ tag \\d+|l\\d+: calc 0"
            + "|l\\d+ (requires|irequires) l\\d+");
    assertThat(lines).allMatch(line -> statement.matcher(line).matches());
  }
}
