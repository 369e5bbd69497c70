package dev.heddle.batch;

import dev.heddle.spi.InvalidSettingException;
import java.util.List;

/** A job of Slurm, or an array of jobs. */
public final class SlurmJob extends BatchJob {
  private final String id;

  /**
   * A job that was submitted.
   *
   * @param id that sbatch gave it
   */
  public SlurmJob(String id) {
    super("slurm");
    this.id = id;
  }

  /**
   * Submits a batch script.
   *
   * @throws InvalidSettingException when it is refused, or sbatch is not installed
   */
  public static SlurmJob submit(String script) {
    String output = ExternalCommand.require(List.of("sbatch", "--parsable"), script);
    // "ID", or "ID;CLUSTER" of a federation; sbatch may warn on lines before.
    String last = output.substring(output.lastIndexOf('\n') + 1);
    String id = last.contains(";") ? last.substring(0, last.indexOf(';')) : last;
    if (!id.matches("\\d+")) {
      throw new InvalidSettingException("", "slurm: sbatch gave no job id but '" + output + "'");
    }
    return new SlurmJob(id);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String name() {
    return "Slurm's job " + id;
  }

  @Override
  List<String> question() {
    return List.of("squeue", "--noheader", "--array", "--format=%T", "--jobs=" + id);
  }

  @Override
  boolean runs(String answer) {
    return !answer.isEmpty();
  }

  // The controller forgets jobs some minutes after their end.
  @Override
  boolean forgotten(String failure) {
    return failure.contains("Invalid job id");
  }

  @Override
  public void cancel() {
    ExternalCommand.call(List.of("scancel", "--quiet", id), "");
  }
}
