package dev.heddle.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.primitives.Ints;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;

/** A request with its response; one reply is made. */
final class Exchange {
  static final String JSON = "application/json; charset=utf-8";
  static final String TEXT = "text/plain; charset=utf-8";
  static final String HTML = "text/html; charset=utf-8";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Map<String, String> parameters;
  private final byte[] body;

  Exchange(Request request, Response response, Callback callback, Map<String, String> parameters, byte[] body) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.parameters = parameters;
    this.body = body;
  }

  Request request() {
    return request;
  }

  /** A part of the path that the route names. */
  String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  /**
   * A parameter of the query; empty where it is not given.
   *
   * @throws RequestException when the query is not well-formed
   */
  String query(String name) {
    try {
      Fields fields = Request.extractQueryParameters(request);
      return Optional.ofNullable(fields.getValue(name)).orElse("");
    } catch (RuntimeException e) {
      throw new RequestException(RequestException.BAD_REQUEST, "the query is not well-formed");
    }
  }

  /**
   * A whole number of the query.
   *
   * @throws RequestException when it is none, or not within the bounds
   */
  int number(String name, int standard, int most) {
    String text = query(name);
    if (text.isEmpty()) {
      return standard;
    }
    Integer value = Ints.tryParse(text);
    if (value == null || value < 0 || value > most) {
      throw new RequestException(RequestException.BAD_REQUEST,
          List.of(new Fault(name, 0, "must be a whole number from 0 to " + most)));
    }
    return value;
  }

  /**
   * The body as JSON; an empty object where there is none.
   *
   * @throws RequestException when it is no JSON
   */
  JsonNode json() {
    if (body.length == 0) {
      return JsonNodeFactory.instance.objectNode();
    }
    try {
      return MAPPER.readTree(new String(body, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new RequestException(RequestException.BAD_REQUEST, "the body is no JSON: " + e.getOriginalMessage());
    }
  }

  /** Sets a header of the response. */
  void header(String name, String value) {
    response.getHeaders().put(name, value);
  }

  void reply(int status, JsonNode json) {
    reply(status, JSON, (json + "\n").getBytes(StandardCharsets.UTF_8));
  }

  void reply(int status, String type, byte[] content) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.length);
    response.write(true, ByteBuffer.wrap(content), callback);
  }

  /** Replies without content. */
  void done(int status) {
    response.setStatus(status);
    callback.succeeded();
  }

  /** Replies with the content of a file. */
  void file(String type, Path file) throws IOException {
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, Files.size(file));
    try (OutputStream out = Content.Sink.asOutputStream(response)) {
      Files.copy(file, out);
    }
    callback.succeeded();
  }
}
