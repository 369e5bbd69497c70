package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the rate of thread blocks that share a port, against closed forms and a simulated port. */
class SharedPortTest {
  @ParameterizedTest
  @CsvSource({"20, 356", "40, 82"})
  void shouldGiveOneBlockItsOwnRate(double block, double port) {
    assertThat(SharedPort.rate(block, port, 1)).isCloseTo(block, withinPercentage(1e-9));
  }

  @Test
  void shouldFillThePortWithManyBlocks() {
    assertThat(SharedPort.rate(20, 100, 200)).isCloseTo(100, withinPercentage(1e-6));
  }

  // Erlang's loss formula, by its sum: a port is idle when all blocks do work of their own.
  @ParameterizedTest
  @CsvSource({"20, 356, 4", "20, 356, 16", "20, 356, 32", "50, 60, 7"})
  void shouldAgreeWithErlangsLossFormula(double block, double port, int blocks) {
    double own = port / block - 1;
    double sum = 0;
    double term = 1;
    for (int count = 0; count <= blocks; count++) {
      sum += term;
      term *= own / (count + 1);
    }
    double last = Math.exp(blocks * Math.log(own));
    for (int count = 2; count <= blocks; count++) {
      last /= count;
    }
    assertThat(SharedPort.rate(block, port, blocks)).isCloseTo(port * (1 - last / sum), withinPercentage(1e-6));
  }

  @Test
  void shouldBeLinearBetweenWholeNumbersOfBlocks() {
    double three = SharedPort.rate(30, 100, 3);
    double four = SharedPort.rate(30, 100, 4);
    assertThat(SharedPort.rate(30, 100, 3.25)).isCloseTo(.75 * three + .25 * four, within(1e-9));
  }

  // A simulation in small steps: blocks that work take an exponential time, those at the port share its rate.
  @Test
  void shouldAgreeWithASimulation() {
    double block = 20;
    double port = 100;
    int blocks = 5;
    double step = 0.002;
    Random random = new Random(7);
    double[] work = new double[blocks];
    double[] left = new double[blocks];
    double moved = 0;
    int steps = 4_000_000;
    for (int i = 0; i < blocks; i++) {
      work[i] = random.nextDouble();
    }
    for (int at = 0; at < steps; at++) {
      int waiting = 0;
      for (double each : left) {
        waiting += each > 0 ? 1 : 0;
      }
      for (int i = 0; i < blocks; i++) {
        if (left[i] > 0) {
          left[i] -= step * port / waiting;
          if (left[i] <= 0) {
            moved++;
            work[i] = -Math.log(1 - random.nextDouble()) * (1 / block - 1 / port);
          }
        } else {
          work[i] -= step;
          left[i] = work[i] <= 0 ? 1 : 0;
        }
      }
    }
    assertThat(moved / (steps * step)).isCloseTo(SharedPort.rate(block, port, blocks), withinPercentage(6));
  }
}
