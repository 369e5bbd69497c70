package dev.heddle.service;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.io.Content;

/**
 * The body of a request, read without a waiting thread. The bytes beyond the limit are read and dropped, up to
 * {@value #DROPPED} times the limit: a client that is still sending when the connection closes loses the answer.
 */
final class RequestBody extends CompletableFuture<byte[]> {
  private static final int DROPPED = 16;

  private final Content.Source source;
  private final long limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private long read;

  RequestBody(Content.Source source, long limit) {
    this.source = source;
    this.limit = limit;
  }

  /** Reads to the end; completes with the bytes, or exceptionally with 413 if there are more than the limit. */
  RequestBody readAll() {
    while (!isDone()) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this::readAll);
        return this;
      }
      if (Content.Chunk.isFailure(chunk)) {
        completeExceptionally(chunk.getFailure());
        return this;
      }
      keep(chunk.getByteBuffer());
      boolean last = chunk.isLast();
      chunk.release();
      if (read > limit && (last || read > DROPPED * limit)) {
        completeExceptionally(new RequestException(RequestException.TOO_LARGE, "the request has more than " + limit
            + " bytes"));
      } else if (last) {
        complete(kept.toByteArray());
      }
    }
    return this;
  }

  private void keep(ByteBuffer bytes) {
    int count = bytes.remaining();
    read += count;
    if (read <= limit) {
      byte[] part = new byte[count];
      bytes.get(part);
      kept.writeBytes(part);
    }
  }
}
