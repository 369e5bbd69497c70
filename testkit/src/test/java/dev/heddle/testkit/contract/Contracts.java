package dev.heddle.testkit.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs a contract on an implementation that must fail it. */
final class Contracts {
  private Contracts() {}

  /** The names of the tests that fail. */
  static List<String> failures(Class<?> contract) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(contract))
        .execute()
        .testEvents()
        .failed()
        .map(event -> event.getTestDescriptor().getSource().orElseThrow())
        .map(source -> ((MethodSource) source).getMethodName())
        .toList();
  }
}
