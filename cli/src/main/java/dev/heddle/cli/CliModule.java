package dev.heddle.cli;

import com.google.common.base.Ticker;
import com.google.inject.AbstractModule;
import com.google.inject.Provides;

/** Composes the command line. */
final class CliModule extends AbstractModule {
  private final Console console;
  private final Installation installation;
  private final HeddleCommand root;

  CliModule(Console console, Installation installation, HeddleCommand root) {
    this.console = console;
    this.installation = installation;
    this.root = root;
  }

  @Override
  protected void configure() {
    binder().requireExplicitBindings();
    binder().requireAtInjectOnConstructors();
    binder().disableCircularProxies();
    bind(Console.class).toInstance(console);
    bind(Ticker.class).toInstance(Ticker.systemTicker());
    bind(Installation.class).toInstance(installation);
    bind(HeddleCommand.class).toInstance(root);
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
  PointRunner runner(Ticker ticker) {
    return new SimulationRunner(ticker, LiveFile.named(LiveFile.RUN));
  }
}
