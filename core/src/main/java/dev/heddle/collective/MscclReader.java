package dev.heddle.collective;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Parses MSCCL XML: algo, gpu, tb, step, one within the other. */
final class MscclReader {
  private final String file;
  private final XMLStreamReader xml;

  MscclReader(String file, InputStream in) {
    this.file = file;
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    try {
      xml = factory.createXMLStreamReader(in);
    } catch (XMLStreamException e) {
      throw malformed(e);
    }
  }

  /** The algorithm. */
  MscclFile read() {
    try {
      if (!child() || !xml.getLocalName().equals("algo")) {
        throw fail("the root must be <algo>, but is <" + xml.getLocalName() + ">");
      }
      MscclFile.Header header = header();
      List<MscclFile.Gpu> gpus = new ArrayList<>();
      while (child()) {
        expect("gpu");
        gpus.add(gpu(gpus.size()));
      }
      if (gpus.size() != header.ranks()) {
        throw fail("there are " + gpus.size() + " <gpu>, but ngpus is " + header.ranks());
      }
      while (xml.hasNext()) {
        next();
      }
      return new MscclFile(file, header, gpus);
    } catch (XMLStreamException e) {
      throw malformed(e);
    }
  }

  private MscclFile.Header header() {
    String name = attribute("coll");
    String plain = name.replace("_", "");
    CollectiveOp op = Arrays.stream(CollectiveOp.values())
        .filter(each -> each != CollectiveOp.ALL_TO_ALL_V && each.key().replace("_", "").equals(plain)).findFirst()
        .orElseThrow(() -> fail("coll is '" + name + "'; it must be one of " + Arrays.stream(CollectiveOp.values())
            .filter(each -> each != CollectiveOp.ALL_TO_ALL_V).map(MscclWriter::name)
            .collect(Collectors.joining(", "))));
    int ranks = number("ngpus", 1, 1 << 20);
    boolean rooted = op.rooted() && xml.getAttributeValue(null, "root") != null;
    return new MscclFile.Header(
        attribute("name"), attribute("proto"), op, ranks, number("nchunksperloop", 1, 1 << 24),
        number("inplace", 0, 1) == 1, rooted ? number("root", 0, ranks - 1) : 0);
  }

  private MscclFile.Gpu gpu(int expected) throws XMLStreamException {
    number("id", expected, expected);
    int scratch = number("s_chunks", 0, 1 << 24);
    List<MscclFile.ThreadBlock> blocks = new ArrayList<>();
    while (child()) {
      expect("tb");
      number("id", blocks.size(), blocks.size());
      int send = number("send", -1, 1 << 20);
      int receive = number("recv", -1, 1 << 20);
      int channel = number("chan", 0, 1 << 10);
      List<MscclFile.Line> steps = new ArrayList<>();
      while (child()) {
        expect("step");
        steps.add(step(steps.size()));
        if (child()) {
          throw fail("<step> holds no elements, but here is <" + xml.getLocalName() + ">");
        }
      }
      blocks.add(new MscclFile.ThreadBlock(send, receive, channel, steps));
    }
    return new MscclFile.Gpu(scratch, blocks);
  }

  private MscclFile.Line step(int expected) {
    number("s", expected, expected);
    String type = attribute("type");
    StepKind kind = Arrays.stream(StepKind.values()).filter(each -> each.letters().equals(type)).findFirst()
        .orElseThrow(() -> fail("type is '" + type + "'; it must be one of "
            + Arrays.stream(StepKind.values()).map(StepKind::letters).collect(Collectors.joining(", "))));
    return new MscclFile.Line(
        xml.getLocation().getLineNumber(), kind, attribute("srcbuf"), number("srcoff", -1, 1 << 24),
        attribute("dstbuf"), number("dstoff", -1, 1 << 24), number("cnt", 0, 1 << 24), number("depid", -1, 1 << 20),
        number("deps", -1, 1 << 24));
  }

  // Goes to the next element within the present one; false at the present one's end.
  private boolean child() throws XMLStreamException {
    while (true) {
      int event = next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        return true;
      }
      if (event == XMLStreamConstants.END_ELEMENT) {
        return false;
      }
    }
  }

  private int next() throws XMLStreamException {
    int event = xml.next();
    if (event == XMLStreamConstants.DTD || event == XMLStreamConstants.ENTITY_REFERENCE) {
      throw fail("document type declarations and entities are not allowed");
    }
    return event;
  }

  private void expect(String name) {
    if (!xml.getLocalName().equals(name)) {
      throw fail("here must be <" + name + ">, but is <" + xml.getLocalName() + ">");
    }
  }

  private String attribute(String name) {
    String value = xml.getAttributeValue(null, name);
    if (value == null) {
      throw fail("<" + xml.getLocalName() + "> lacks the attribute " + name);
    }
    return value;
  }

  private int number(String name, int least, int most) {
    String text = attribute(name);
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw fail(name + " is '" + text + "', which is no whole number");
    }
    throw fail(name + " is " + text + ", but must be " + (least == most ? "" + least : least + " to " + most));
  }

  private ScheduleFormatException fail(String message) {
    return new ScheduleFormatException(file + ":" + xml.getLocation().getLineNumber() + ": " + message);
  }

  private ScheduleFormatException malformed(XMLStreamException e) {
    String line = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNumber();
    String message = String.valueOf(e.getMessage());
    return new ScheduleFormatException(file + line + ": is no whole, well-formed XML: "
        + message.substring(message.lastIndexOf('\n') + 1).replace("Message: ", ""));
  }
}
