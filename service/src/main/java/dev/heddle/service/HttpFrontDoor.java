package dev.heddle.service;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Reads a request whole, finds its route, lets the guard decide, and answers; all errors are answered as JSON. */
final class HttpFrontDoor extends Handler.Abstract {
  private static final String PAGE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
      + " img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none';"
      + " frame-ancestors 'none'";

  private final ImmutableList<Route> routes;
  private final AccessGuard guard;
  private final ServiceSettings.Limits limits;
  private final Consumer<Throwable> failures;

  HttpFrontDoor(List<Route> routes, AccessGuard guard, ServiceSettings.Limits limits, Consumer<Throwable> failures) {
    this.routes = ImmutableList.copyOf(routes);
    this.guard = guard;
    this.limits = limits;
    this.failures = failures;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    headers(response);
    if (HttpMethod.GET.is(request.getMethod())) {
      answer(request, response, callback, new byte[0]);
      return true;
    }
    new RequestBody(request, limits.requestBytes()).readAll()
        .orTimeout(limits.requestMillis(), TimeUnit.MILLISECONDS).whenComplete((body, failure) -> {
          if (failure == null) {
            request.getContext().execute(() -> answer(request, response, callback, body));
          } else if (failure instanceof RequestException tooLarge) {
            fail(request, response, callback, tooLarge);
          } else {
            callback.failed(failure);
          }
        });
    return true;
  }

  private static void headers(Response response) {
    response.getHeaders().put("Content-Security-Policy", PAGE_POLICY);
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    response.getHeaders().put("Referrer-Policy", "no-referrer");
    response.getHeaders().put("Cross-Origin-Resource-Policy", "same-origin");
    response.getHeaders().put("Cross-Origin-Opener-Policy", "same-origin");
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  private void answer(Request request, Response response, Callback callback, byte[] body) {
    try {
      Route route = route(request);
      guard.requireOwnSite(request, route.access() == Route.Access.PAGE);
      String user = route.access() == Route.Access.USER ? guard.user(request) : "";
      boolean json = Optional.ofNullable(request.getHeaders().get(HttpHeader.CONTENT_TYPE)).orElse("")
          .startsWith("application/json");
      if (HttpMethod.POST.is(request.getMethod()) && !json) {
        throw new RequestException(415, "the content type must be application/json");
      }
      Map<String, String> parameters = route.parameters(Request.getPathInContext(request));
      route.action().answer(new Exchange(request, response, callback, parameters, body), user);
    } catch (RequestException e) {
      fail(request, response, callback, e);
    } catch (IOException e) {
      callback.failed(e);
    } catch (RuntimeException | Error e) {
      failures.accept(e);
      if (response.isCommitted()) {
        callback.failed(e);
      } else {
        fail(request, response, callback, new RequestException(500, "this is a bug of Heddle; its log says more"));
      }
    }
  }

  private Route route(Request request) {
    String path = Request.getPathInContext(request);
    List<Route> matching = routes.stream().filter(route -> route.matches(path)).toList();
    if (matching.isEmpty()) {
      throw new RequestException(RequestException.NOT_FOUND, "there is nothing at this path");
    }
    return matching.stream().filter(route -> route.method().equals(request.getMethod())).findFirst()
        .orElseThrow(() -> new RequestException(405, "the path takes "
            + String.join(", ", matching.stream().map(Route::method).toList())));
  }

  private static void fail(Request request, Response response, Callback callback, RequestException e) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("status", e.status()).put("message", e.getMessage());
    ArrayNode faults = root.putArray("faults");
    e.faults().forEach(fault -> faults.add(json(fault)));
    new Exchange(request, response, callback, Map.of(), new byte[0]).reply(e.status(), root);
  }

  /** A fault as JSON. */
  static ObjectNode json(Fault fault) {
    return JsonNodeFactory.instance.objectNode().put("path", fault.path()).put("line", fault.line())
        .put("message", fault.message());
  }
}
