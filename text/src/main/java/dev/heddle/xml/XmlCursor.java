package dev.heddle.xml;

import dev.heddle.text.ByteOrderMark;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Cursor over the elements of an XML file, from its root down. Document type declarations and entities are refused;
 * every fault is thrown as the caller's own exception, with file and line.
 */
public final class XmlCursor {
  private final String file;
  private final Function<String, ? extends RuntimeException> exception;
  private final XMLStreamReader xml;

  /**
   * Opens a file.
   *
   * @param file its name, for messages
   * @param in its bytes; the caller closes it
   * @param exception makes an exception of a message
   */
  public XmlCursor(String file, InputStream in, Function<String, ? extends RuntimeException> exception) {
    this.file = file;
    this.exception = exception;
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    // The parser's own decoder prints malformed bytes to standard error besides throwing.
    try {
      Reader decoded = new InputStreamReader(ByteOrderMark.skip(in), StandardCharsets.UTF_8.newDecoder());
      xml = factory.createXMLStreamReader(decoded);
    } catch (XMLStreamException e) {
      throw malformed(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Moves to the root element, which must have this name. */
  public void root(String name) {
    if (!child() || !name().equals(name)) {
      throw fail("the root must be <" + name + ">, but is <" + name() + ">");
    }
  }

  /** Moves to the next element within the present one; false at the present one's end. */
  public boolean child() {
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

  /** Passes the end of an element that may hold no others. */
  public void leaf() {
    String parent = name();
    if (child()) {
      throw fail("<" + parent + "> holds no elements, but here is <" + name() + ">");
    }
  }

  /** Reads the rest of the file after the root, which may hold comments only. */
  public void end() {
    try {
      while (xml.hasNext()) {
        next();
      }
    } catch (XMLStreamException e) {
      throw malformed(e);
    }
  }

  /** The present element's name. */
  public String name() {
    return xml.getLocalName();
  }

  /** The present element's line, from 1. */
  public int line() {
    return xml.getLocation().getLineNumber();
  }

  /** Demands that the present element has one of some names. */
  public void expect(Collection<String> names) {
    if (!names.contains(name())) {
      throw fail("here must be <" + String.join("> or <", names) + ">, but is <" + name() + ">");
    }
  }

  /** The value of an attribute that may be missing. */
  public Optional<String> optional(String attribute) {
    return Optional.ofNullable(xml.getAttributeValue(null, attribute));
  }

  /** The value of an attribute. */
  public String attribute(String attribute) {
    return optional(attribute).orElseThrow(() -> fail("<" + name() + "> lacks the attribute " + attribute));
  }

  /** The value of an attribute that is a whole number within bounds. */
  public int number(String attribute, int least, int most) {
    String text = attribute(attribute);
    if (!text.matches("[+-]?[0-9]+")) {
      throw fail(attribute + " is '" + text + "', which is no whole number");
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw fail(attribute + " is '" + text + "', which is no whole number");
    }
    throw fail(attribute + " is " + text + ", but must be " + (least == most ? "" + least : least + " to " + most));
  }

  /** The caller's exception, with file and line before the message. */
  public RuntimeException fail(String message) {
    return exception.apply(file + ":" + line() + ": " + message);
  }

  private int next() {
    try {
      int event = xml.next();
      if (event == XMLStreamConstants.DTD || event == XMLStreamConstants.ENTITY_REFERENCE) {
        throw fail("document type declarations and entities are not allowed");
      }
      return event;
    } catch (XMLStreamException e) {
      throw malformed(e);
    }
  }

  private RuntimeException malformed(XMLStreamException e) {
    if (e.getNestedException() instanceof CharacterCodingException) {
      return exception.apply(file + ": is no text of UTF-8");
    }
    String line = e.getLocation() == null ? "" : ":" + e.getLocation().getLineNumber();
    String message = String.valueOf(e.getMessage());
    return exception.apply(file + line + ": is no whole, well-formed XML: "
        + message.substring(message.lastIndexOf('\n') + 1).replace("Message: ", ""));
  }
}
