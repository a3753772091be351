/* SPDX-License-Identifier: MIT
 *
 * GLSL to SPIR-V by glslang's library, in this process. A glslangValidator process spends 0.3 s of processor time on
 * the declarations of GLSL's built-in functions before it reads its shader; a process that compiles many shaders spends
 * that once for each version of SPIR-V.
 */
#ifndef GLSL_H
#define GLSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum glsl_stage {
    GLSL_VERTEX,
    GLSL_FRAGMENT,
    GLSL_COMPUTE,
    GLSL_GEOMETRY,
    GLSL_TESS_CONTROL,
    GLSL_TESS_EVALUATION,
    GLSL_TASK,
    GLSL_MESH,
    GLSL_STAGES
};

struct glsl_request {
    enum glsl_stage stage;
    const char *target;     /* as of glslangValidator's --target-env; NULL: vulkan1.0 */
    const char *source;
    const char *preamble;   /* lines that define macros; NULL: none */
    const char *debug_name; /* file name for debug information; NULL: the module has none */
    bool is_relaxed;        /* OpenGL's GLSL as well: uniforms outside of blocks, and what has no location or binding */
    bool has_debug_set;     /* the debug information is that of NonSemantic.Shader.DebugInfo.100, not OpLine */
};

/* The words live until glsl_result_finish(). */
struct glsl_result {
    const uint32_t *words;  /* NULL: the source has an error */
    size_t word_count;
    const char *messages;   /* glslang's errors and warnings */
    void *shader, *program;
};

/* False if glslang does not start. */
bool glsl_start(void);
void glsl_end(void);

bool glsl_knows_target(const char *target);
struct glsl_result glsl_compile(const struct glsl_request *request);
void glsl_result_finish(struct glsl_result *result);

#endif
