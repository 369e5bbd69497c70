package dev.heddle.batch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/** A Job of Kubernetes, which {@code kubectl} creates and follows. */
public final class KubernetesJob extends BatchJob {
  private final String id;
  private final KubernetesPods pods;

  /**
   * A job that was created.
   *
   * @param id of it, such as {@code job.batch/heddle-x7}
   * @param pods of the job
   */
  public KubernetesJob(String id, KubernetesPods pods) {
    super("kubernetes");
    this.id = id;
    this.pods = pods;
  }

  /**
   * Creates a job.
   *
   * @throws dev.heddle.spi.InvalidSettingException when it is refused, or kubectl is not installed
   */
  public static KubernetesJob create(String manifest, KubernetesPods pods) {
    String output = ExternalCommand.require(
        List.of(pods.kubectl(), "create", "--namespace", pods.namespace(), "--output=name", "--filename=-"), manifest);
    return new KubernetesJob(output.substring(output.lastIndexOf('\n') + 1), pods);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String name() {
    return "Kubernetes' " + id;
  }

  @Override
  List<String> question() {
    return List.of(pods.kubectl(), "get", id, "--namespace", pods.namespace(), "--output=json");
  }

  /** Whether it has neither of the conditions Complete and Failed [Kubernetes, Jobs, §Terminal Job conditions]. */
  @Override
  boolean runs(String answer) {
    try {
      for (JsonNode condition : new ObjectMapper().readTree(answer).path("status").path("conditions")) {
        String type = condition.path("type").asText();
        if ((type.equals("Complete") || type.equals("Failed")) && condition.path("status").asText().equals("True")) {
          return false;
        }
      }
      return true;
    } catch (JsonProcessingException e) {
      return true;
    }
  }

  @Override
  boolean forgotten(String failure) {
    return failure.contains("NotFound");
  }

  @Override
  public void cancel() {
    ExternalCommand.call(
        // The job itself goes when its pods have gone, and counts as running until then.
        List.of(pods.kubectl(), "delete", id, "--namespace", pods.namespace(), "--ignore-not-found",
            "--cascade=foreground", "--wait=false"),
        "");
  }
}
