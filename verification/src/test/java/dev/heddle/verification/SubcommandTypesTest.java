package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.SubcommandProvider;
import java.lang.reflect.Proxy;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Test of the classes by which help lists the commands of modules. */
class SubcommandTypesTest {
  static Stream<SubcommandProvider> providers() {
    return ServiceLoader.load(SubcommandProvider.class).stream().map(ServiceLoader.Provider::get);
  }

  @ParameterizedTest
  @MethodSource("providers")
  void shouldNameAndDescribeTheCommandsThatAreMade(SubcommandProvider provider) {
    CommandContext unused = (CommandContext) Proxy.newProxyInstance(
        getClass().getClassLoader(), new Class<?>[] {CommandContext.class}, (proxy, method, args) -> {
          throw new AssertionError("no command runs");
        });
    assertThat(provider.types().stream().map(type -> type.getAnnotation(Command.class))
        .map(command -> command.name() + ": " + String.join(" ", command.description())))
        .isNotEmpty()
        .containsExactlyElementsOf(provider.commands(unused).stream()
            .map(each -> each instanceof CommandLine made ? made : new CommandLine(each))
            .map(made -> made.getCommandName() + ": "
                + String.join(" ", made.getCommandSpec().usageMessage().description()))
            .toList());
  }
}
