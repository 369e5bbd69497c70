package dev.heddle.service;

import com.google.common.collect.ImmutableList;
import java.util.List;

/** A request that is refused. */
final class RequestException extends RuntimeException {
  static final int BAD_REQUEST = 400;
  static final int UNAUTHORIZED = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int CONFLICT = 409;
  static final int TOO_LARGE = 413;
  static final int UNPROCESSABLE = 422;
  static final int TOO_MANY = 429;

  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient ImmutableList<Fault> faults;

  /** A refusal with one fault of the whole request. */
  RequestException(int status, String message) {
    this(status, List.of(new Fault("", 0, message)));
  }

  /** A refusal. */
  RequestException(int status, List<Fault> faults) {
    super(faults.get(0).message(), null, false, false);
    this.status = status;
    this.faults = ImmutableList.copyOf(faults);
  }

  /** The status code of HTTP. */
  int status() {
    return status;
  }

  /** Everything that is wrong, at least one. */
  List<Fault> faults() {
    return faults;
  }
}
