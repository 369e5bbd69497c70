package dev.heddle.workload.trace.chakra;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Opens files of JSON, and names file and line of one that is no JSON. */
final class JsonFile {
  private JsonFile() {}

  /** Reader of a parser's tokens. */
  interface Reader {
    void read(JsonParser json) throws IOException;
  }

  /**
   * Reads a file.
   *
   * @param name in messages
   * @throws TraceException when it is no JSON
   * @throws UncheckedIOException when it cannot be read
   */
  static void read(String name, InputStream in, Reader reader) {
    try (JsonParser json = new JsonFactory().createParser(in)) {
      reader.read(json);
    } catch (JsonProcessingException e) {
      throw new TraceException(name + ":" + (e.getLocation() == null ? 1 : e.getLocation().getLineNr())
          + ": is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
