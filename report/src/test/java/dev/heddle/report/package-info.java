/** Tests of the reports, with results as runs and sweeps yield them. */
@NullMarked
package dev.heddle.report;

import org.jspecify.annotations.NullMarked;
