package dev.heddle.cli;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.util.Modules;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;

/**
 * Commands as Guice composes them. The injector, a quarter of the time of a help, is made when the first command is
 * asked for.
 */
final class CommandFactory implements IFactory {
  private final IFactory standard = CommandLine.defaultFactory();
  private final Supplier<Injector> injector;

  /**
   * A factory.
   *
   * @param composition the command line's bindings
   * @param replacements bindings that replace some of these
   */
  CommandFactory(CliModule composition, Module... replacements) {
    injector = Suppliers.memoize(() -> Guice.createInjector(
        replacements.length == 0 ? composition : Modules.override(composition).with(replacements)));
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type.isAnnotationPresent(Command.class) && injector.get().getExistingBinding(Key.get(type)) != null
        ? instance(type)
        : standard.create(type);
  }

  /** An instance of a type that is bound. */
  <K> K instance(Class<K> type) {
    return injector.get().getInstance(type);
  }
}
