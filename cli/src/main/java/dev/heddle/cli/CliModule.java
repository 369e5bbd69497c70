package dev.heddle.cli;

import com.google.common.base.Ticker;
import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import java.util.Optional;

/** Composes the command line. */
final class CliModule extends AbstractModule {
  private final Console console;

  CliModule(Console console) {
    this.console = console;
  }

  @Override
  protected void configure() {
    binder().requireExplicitBindings();
    binder().requireAtInjectOnConstructors();
    binder().disableCircularProxies();
    bind(Console.class).toInstance(console);
    bind(Ticker.class).toInstance(Ticker.systemTicker());
    bind(HeddleCommand.class).in(Singleton.class);
    bind(RunCommand.class);
    bind(SweepCommand.class);
    bind(CompareCommand.class);
    bind(ValidateCommand.class);
    bind(PluginsCommand.class);
    bind(PresetsCommand.class);
    bind(DescribeCommand.class);
    bind(VerifyCommand.class);
  }

  @Provides
  @Singleton
  Installation installation() {
    return new Installation(
        CliModule.class.getClassLoader(), Optional.ofNullable(System.getProperty("heddle.plugin.path")));
  }

  @Provides
  PointRunner runner(Ticker ticker) {
    return new SimulationRunner(ticker, LiveFile.named(LiveFile.RUN));
  }
}
