package dev.heddle.workload.trace.htsim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the bounds of htsim's matrices, beyond which a reader would run out of memory or time would wrap. */
class ConnectionMatrixTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      Nodes 16000000                           | m:1: 16000000 nodes; at most 262144 are read
      Nodes 99999999999                        | m:1: 99999999999 nodes; at most 262144 are read
      Nodes 99999999999999999999               | m:1: 'Nodes 99999999999999999999' is neither
      Nodes 2;0->1 start 9e15 size 1           | m:2: start is 9.0E15 and size 1; they are from 0 to 10^12 us
      Nodes 2;0->1 start NaN size 1            | m:2: start is NaN
      Nodes 2;0->1 start 0 size -1             | m:2: start is 0.0 and size -1
      Nodes 2;0->1 start 0 size 9999999999999  | m:2: start is 0.0 and size 9999999999999
      Nodes 2;0->1 start 0 size 99999999999999999999 | m:2: a value of {size=99999999999999999999, start=0} is no number
      """)
  void shouldRefuseAMatrixBeyondItsBounds(String text, String message) {
    assertThatThrownBy(() -> HtsimWorkloadProvider.read("m", text.replace(';', '\n')))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({"0->1 id 1 msg start 0 size 4086", "0->1 id 1 msg 7 start 0 size 4086", "0->1 start 0 msg 7 size 1"})
  void shouldTakeMessagesOfAConnection(String flow) {
    assertThatCode(() -> HtsimWorkloadProvider.read("m", "Nodes 2\nConnections 2\n" + flow + "\n" + flow + "\n"))
        .doesNotThrowAnyException();
  }
}
