package dev.heddle.verification;

import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.convert.KernelFile;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.workload.megatron.kernel.KernelDatabase;
import dev.heddle.workload.megatron.kernel.KernelTimes;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.kernel.Roofline;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of modelled kernel times with measured ones. A table is a {@link KernelDatabase} whose header names the
 * accelerator and the kernel figures of the model, with {@code ${column}} in place of a row's cell. If a column {@value
 * #PART} separates rows of the calibration from held-out rows, each part is a separate table.
 */
public final class KernelsSuite implements ValidationSuite {
  private static final String PART = "part";
  /** Key of a header that names what the shipped tables of the same source lack. */
  private static final String HELD_OUT = "held-out";
  private static final List<String> KEYS = List.of("name", "source", "accelerator", "kernels");
  private static final double MICROSECOND = 1e-6;

  @Override
  public String id() {
    return "kernels";
  }

  @Override
  public String description() {
    return "times of products, attention and memory kernels against published measurements";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("kernels"));
    List<Table> tables = new ArrayList<>();
    RefusedTables refusedFiles = new RefusedTables(data);
    try (Registry registry = Registry.discover(KernelsSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      KernelLibrary library = KernelLibrary.load(KernelsSuite.class.getClassLoader());
      LibraryTables ofTheLibrary = new LibraryTables(library);
      for (String file : folder.names(".csv")) {
        refusedFiles.read(() -> {
          String text = folder.text(file);
          Map<String, String> header = CsvTable.read(folder.label(file), text).header();
          if (header.containsKey("kernels")) {
            tables.addAll(compare(reader, folder.label(file), text));
          } else if (header.containsKey(LayerTable.KEY)) {
            tables.add(LayerTable.read(reader, folder.label(file), text));
          } else if (header.containsKey(GradientTable.KEY)) {
            tables.addAll(GradientTable.read(reader, folder.label(file), text));
          } else if (header.containsKey(LoopTable.KEY)) {
            tables.addAll(LoopTable.read(folder.label(file), text, library));
          } else if (header.containsKey(HELD_OUT)) {
            tables.addAll(ofTheLibrary.heldOut(
                header.get(HELD_OUT), KernelFile.parseKnown(folder.label(file), text, library.gpus())));
          } else {
            tables.addAll(compared(ofTheLibrary, KernelFile.parseKnown(folder.label(file), text, library.gpus()),
                refusedFiles));
          }
        });
      }
      if (data.isPresent()) {
        for (String file : folder.names(".csv.gz")) {
          refusedFiles.read(
              () -> tables.addAll(compared(
                  ofTheLibrary, KernelFile.readKnown(data.get().resolve(file), library.gpus()), refusedFiles)));
        }
      } else {
        tables.addAll(ofTheLibrary.own());
      }
    }
    if (tables.isEmpty()) {
      throw refusedFiles.nothingRead(folder.label("") + " holds no table of kernels");
    }
    List<String> notes =
        data.isPresent() ? refusedFiles.notes()
            : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static List<Table> compared(LibraryTables library, KernelFile file, RefusedTables refused) {
    file.unknown().forEach((name, rows) -> refused.leave(file.name() + ": " + rows + " rows of " + name));
    return library.of(file);
  }

  private static List<Table> compare(ScenarioReader reader, String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireKeys(KEYS).requireCells();
    Map<String, KernelTimes> models = new LinkedHashMap<>();
    Map<String, List<Row>> parts = new LinkedHashMap<>();
    for (KernelDatabase.Row row : KernelDatabase.parse(file, text).rows()) {
      String accelerator = fill(csv.header("accelerator"), row);
      String figures = fill(csv.header("kernels"), row);
      KernelTimes model = models.computeIfAbsent(accelerator + figures, key -> new Roofline(
          reader.record(Accelerator.class, row.place(), accelerator),
          reader.record(KernelTiming.class, row.place(), figures)));
      String label = row.cells().getOrDefault("label", row.cells().get("kernel") + " " + row.cells().get("shape"));
      parts.computeIfAbsent(row.cells().getOrDefault(PART, ""), part -> new ArrayList<>()).add(new Row(
          label, OptionalLong.empty(), row.seconds() / MICROSECOND, model.seconds(row.kernel()) / MICROSECOND));
    }
    return parts.entrySet().stream().map(part -> table(csv, part.getKey(), part.getValue())).toList();
  }

  private static Table table(CsvTable csv, String part, List<Row> rows) {
    String name = csv.header("name") + (part.isEmpty() ? "" : ", " + part);
    double bound = part.equals("held out") ? csv.bound("held-out-bound") : csv.bound("bound");
    return new Table(name, csv.header("source"), "us", rows, bound);
  }

  private static String fill(String text, KernelDatabase.Row row) {
    String filled = text;
    for (Map.Entry<String, String> cell : row.cells().entrySet()) {
      filled = filled.replace("${" + cell.getKey() + "}", cell.getValue());
    }
    CsvTable.require(!filled.contains("${"), row.place(), "a placeholder of '" + filled + "' names no column");
    return filled;
  }
}
