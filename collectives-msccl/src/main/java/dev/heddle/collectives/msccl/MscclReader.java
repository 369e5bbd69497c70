package dev.heddle.collectives.msccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.StepKind;
import dev.heddle.xml.XmlCursor;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Parses MSCCL XML: algo, gpu, tb, step, one within the other. */
final class MscclReader {
  private final String file;
  private final XmlCursor xml;

  MscclReader(String file, InputStream in) {
    this.file = file;
    xml = new XmlCursor(file, in, ScheduleFormatException::new);
  }

  /** The algorithm. */
  MscclFile read() {
    xml.root("algo");
    MscclFile.Header header = header();
    List<MscclFile.Gpu> gpus = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("gpu"));
      gpus.add(gpu(gpus.size()));
    }
    if (gpus.size() != header.ranks()) {
      throw xml.fail("there are " + gpus.size() + " <gpu>, but ngpus is " + header.ranks());
    }
    xml.end();
    return new MscclFile(file, header, gpus);
  }

  private MscclFile.Header header() {
    String name = xml.attribute("coll");
    String plain = name.replace("_", "");
    CollectiveOp op = Arrays.stream(CollectiveOp.values())
        .filter(each -> each != CollectiveOp.ALL_TO_ALL_V && each.key().replace("_", "").equals(plain)).findFirst()
        .orElseThrow(() -> xml.fail("coll is '" + name + "'; it must be one of " + Arrays.stream(CollectiveOp.values())
            .filter(each -> each != CollectiveOp.ALL_TO_ALL_V).map(MscclWriter::name)
            .collect(Collectors.joining(", "))));
    int ranks = xml.number("ngpus", 1, 1 << 20);
    boolean rooted = op.rooted() && xml.optional("root").isPresent();
    int chunks = xml.number("nchunksperloop", 1, 1 << 24);
    long least = bytes("minBytes", 0);
    long most = bytes("maxBytes", Long.MAX_VALUE);
    return new MscclFile.Header(
        xml.attribute("name"), xml.attribute("proto"), op, ranks, chunks,
        xml.number("inplace", 0, 1) == 1, rooted ? xml.number("root", 0, ranks - 1) : 0,
        new MscclFile.Sizes(least, most == 0 ? Long.MAX_VALUE : most));
  }

  /** A size that a file may state; MSCCL's runtime takes 0 as no bound. */
  private long bytes(String attribute, long absent) {
    Optional<String> text = xml.optional(attribute);
    if (text.isEmpty()) {
      return absent;
    }
    if (!text.get().matches("[0-9]{1,18}")) {
      throw xml.fail(attribute + " is '" + text.get() + "', which is no number of bytes");
    }
    return Long.parseLong(text.get());
  }

  /** The chunks that a GPU's buffer has by its own account; 0 where the file does not say. */
  private int declared(String attribute) {
    return xml.optional(attribute).isPresent() ? xml.number(attribute, 0, 1 << 24) : 0;
  }

  private MscclFile.Gpu gpu(int expected) {
    xml.number("id", expected, expected);
    int input = declared("i_chunks");
    int output = declared("o_chunks");
    int scratch = xml.number("s_chunks", 0, 1 << 24);
    List<MscclFile.ThreadBlock> blocks = new ArrayList<>();
    while (xml.child()) {
      xml.expect(List.of("tb"));
      xml.number("id", blocks.size(), blocks.size());
      int send = xml.number("send", -1, 1 << 20);
      int receive = xml.number("recv", -1, 1 << 20);
      int channel = xml.number("chan", 0, 1 << 10);
      List<MscclFile.Line> steps = new ArrayList<>();
      while (xml.child()) {
        xml.expect(List.of("step"));
        steps.add(step(steps.size()));
        xml.leaf();
      }
      blocks.add(new MscclFile.ThreadBlock(send, receive, channel, steps));
    }
    return new MscclFile.Gpu(input, output, scratch, blocks);
  }

  private MscclFile.Line step(int expected) {
    xml.number("s", expected, expected);
    String type = xml.attribute("type");
    StepKind kind = Arrays.stream(StepKind.values()).filter(each -> each.letters().equals(type)).findFirst()
        .orElseThrow(() -> xml.fail("type is '" + type + "'; it must be one of "
            + Arrays.stream(StepKind.values()).map(StepKind::letters).collect(Collectors.joining(", "))));
    return new MscclFile.Line(
        xml.line(), kind, xml.attribute("srcbuf"), xml.number("srcoff", -1, 1 << 24),
        xml.attribute("dstbuf"), xml.number("dstoff", -1, 1 << 24), xml.number("cnt", 0, 1 << 24),
        xml.number("depid", -1, 1 << 20), xml.number("deps", -1, 1 << 24));
  }
}
