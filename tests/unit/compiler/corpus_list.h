/* SPDX-License-Identifier: MIT
 *
 * Reads the corpus: small shaders that test one feature each (corpus/), compiled and listed by the build (corpus.py).
 * The comments of a shader state its inputs and expected results (glsl_expect.h).
 */
#ifndef CORPUS_LIST_H
#define CORPUS_LIST_H

#include <stddef.h>
#include "glsl_expect.h"

enum corpus_stage { CORPUS_VERT, CORPUS_FRAG, CORPUS_COMP };
enum corpus_type { CORPUS_FLOAT, CORPUS_INT, CORPUS_UINT };

#define CORPUS_INPUTS 4 /* locations */

struct corpus_shader {
    char name[64]; /* file name */
    enum corpus_stage stage;
    enum corpus_type type; /* of output 0 */
    enum corpus_type input_types[CORPUS_INPUTS];
    bool writes_one_vec4;  /* vertex shader whose only output is a vec4 at location 0 */
    uint32_t *words;       /* SPIR-V; freed by corpus_free */
    size_t size_B;
    bool has_expectations;
    struct expected expected;
};

struct corpus {
    struct corpus_shader *shaders;
    uint32_t count;
};

/* False with a message on stderr when the list or one of its files cannot be read. */
bool corpus_read(struct corpus *corpus, const char *list);
void corpus_free(struct corpus *corpus);

#endif
