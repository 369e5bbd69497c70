package dev.heddle.cli;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands below {@code heddle}. Options of a command are read from its class by reflection, which for all of them
 * takes a third of the time of a help: commands that the words of a command line do not name are added by name and
 * description alone.
 */
final class Subcommands {
  private static final List<Class<?>> OWN = List.of(
      RunCommand.class, SweepCommand.class, CompareCommand.class, ValidateCommand.class, PluginsCommand.class,
      PresetsCommand.class, DescribeCommand.class, VerifyCommand.class, GenerateCompletion.class);

  private final Set<String> words;
  private final boolean all;
  private final boolean own;

  private Subcommands(Set<String> words, boolean all, boolean own) {
    this.words = words;
    this.all = all;
    this.own = own;
  }

  /** All commands with their options. */
  static Subcommands all() {
    return new Subcommands(Set.of(), true, false);
  }

  /** The commands that a command line may name, with their options; a file of arguments may name any. */
  static Subcommands of(String[] args) {
    Set<String> words = Set.copyOf(List.of(args));
    boolean all = words.contains(named(GenerateCompletion.class).name())
        || words.stream().anyMatch(word -> word.startsWith("@"));
    // Other modules' commands are looked for in all jars; one of the program's own needs none of them.
    boolean own = args.length > 0 && OWN.stream().anyMatch(type -> named(type).name().equals(args[0]));
    return new Subcommands(words, all, own && !all);
  }

  /** Whether all commands have their options. */
  boolean complete() {
    return all;
  }

  /** Adds the commands: the program's own, then those of other modules. */
  void addTo(CommandLine root, CommandContext context) {
    for (Class<?> type : OWN) {
      root.addSubcommand(asked(type) ? new CommandLine(type, root.getFactory()) : outline(type));
    }
    if (own) {
      return;
    }
    ServiceLoader.load(SubcommandProvider.class, Subcommands.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get).sorted(Comparator.comparing(provider -> provider.getClass().getName()))
        .flatMap(provider -> commands(provider, context).stream()).forEach(root::addSubcommand);
  }

  private List<?> commands(SubcommandProvider provider, CommandContext context) {
    List<Class<?>> types = provider.types();
    return types.isEmpty() || types.stream().anyMatch(this::asked)
        ? provider.commands(context) : types.stream().map(Subcommands::outline).toList();
  }

  private boolean asked(Class<?> type) {
    return all || words.contains(named(type).name());
  }

  private static Command named(Class<?> type) {
    Command command = type.getAnnotation(Command.class);
    if (command == null) {
      throw new IllegalArgumentException(type.getName() + " is no command");
    }
    return command;
  }

  private static CommandLine outline(Class<?> type) {
    Command command = named(type);
    CommandSpec spec = CommandSpec.create().name(command.name());
    spec.usageMessage().header(command.header()).description(command.description()).hidden(command.hidden());
    return new CommandLine(spec);
  }
}
