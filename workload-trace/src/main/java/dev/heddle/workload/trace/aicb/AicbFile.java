package dev.heddle.workload.trace.aicb;

import java.util.List;

/**
 * A workload as written.
 *
 * @param tensor ranks of a tensor-parallel group; 0 for all
 * @param expert ranks of an expert-parallel group
 * @param pipeline stages of the pipeline
 * @param ranks of all; 0 where the file does not say
 * @param layers in the order of the file
 */
record AicbFile(int tensor, int expert, int pipeline, int ranks, List<Layer> layers) {}
