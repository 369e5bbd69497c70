/** Tests of readers and writers of text files. */
@NullMarked
package dev.heddle.text;

import org.jspecify.annotations.NullMarked;
