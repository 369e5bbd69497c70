/** Reading XML files of other programs, without document types and external entities. */
@NullMarked
package dev.heddle.xml;

import org.jspecify.annotations.NullMarked;
