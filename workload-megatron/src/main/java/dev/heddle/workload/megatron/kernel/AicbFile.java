package dev.heddle.workload.megatron.kernel;

import com.google.common.collect.ImmutableMap;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A compute file of AICB: the parts of a layer's forward pass with their times in microseconds, as written by its
 * profiler AIOB. A part begins with its name and a colon; its mean is the line {@code time_gpu_avg}. The file says
 * neither shapes nor accelerator, so it belongs to the one job that was measured.
 *
 * @param seconds mean time of each part
 */
record AicbFile(Map<String, Double> seconds) {
  private static final String MEAN = "time_gpu_avg";

  /** Names of kernels by AICB's part. The norm behind the last layer has the shape of the first one. */
  private static final Map<String, String> NAMES = ImmutableMap.<String, String>builder()
      .put("Emb", "embedding").put("layernorm", "norm").put("atten_qkv", "qkv").put("atten_flash", "attention")
      .put("atten_linear", "projection").put("layernorm2", "norm2").put("mlp_linear_1", "up")
      .put("mlp_gelu", "activation").put("mlp_linear_2", "down").put("logit_time", "logits").put("param_time", "adam")
      .build();

  AicbFile {
    seconds = ImmutableMap.copyOf(seconds);
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException naming the file and the malformed line
   */
  static AicbFile read(Path file) {
    return parse(file.toString(), MeasuredFile.text(file));
  }

  /**
   * Reads a text.
   *
   * @param name of the file, for messages
   * @throws InvalidSettingException naming the malformed line
   */
  static AicbFile parse(String name, String text) {
    Map<String, Double> seconds = new LinkedHashMap<>();
    String part = "";
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String stripped = line.strip();
      int colon = stripped.indexOf(':');
      if (colon == stripped.length() - 1 && colon > 0) {
        part = stripped.substring(0, colon);
      } else if (stripped.startsWith(MEAN) && NAMES.containsKey(part)) {
        try {
          seconds.put(part, MeasuredFile.seconds(MEAN, stripped.substring(colon + 1).strip()));
        } catch (IllegalArgumentException e) {
          throw new InvalidSettingException("", name + ":" + number + ": " + e.getMessage());
        }
      }
    }
    if (seconds.isEmpty()) {
      throw new InvalidSettingException("", name + " holds none of AICB's parts " + String.join(", ", NAMES.keySet())
          + " with a line " + MEAN);
    }
    return new AicbFile(seconds);
  }

  /**
   * Kernel times of the file, completed by those of another source.
   *
   * @param kernels of the job that was measured, forward passes first
   * @param others times of kernels that AICB does not measure
   */
  KernelTimes withFallback(List<Kernel> kernels, KernelTimes others) {
    Map<KernelKey, Double> known = new LinkedHashMap<>();
    seconds.forEach((part, mean) -> kernels.stream().filter(kernel -> kernel.name().equals(NAMES.get(part))).findFirst()
        .flatMap(KernelKey::of).ifPresent(key -> known.putIfAbsent(key, mean)));
    return kernel -> KernelKey.of(kernel).map(known::get).orElseGet(() -> others.seconds(kernel));
  }
}
