/* SPDX-License-Identifier: MIT
 *
 * Compiles GLSL to SPIR-V 1.3 to 1.6, as a server: it starts glslang once for all programs.
 *
 * Request: stage (0 vertex, 1 fragment, 2 compute), target (0 SPIR-V 1.3 to 3 SPIR-V 1.6), then the source. Reply: 1
 * and the words of the module, or 0 and glslang's messages.
 */
#include "../shaders/glsl.h"
#include "glsl_wire.h"

static const enum glsl_stage stages[] = {GLSL_VERTEX, GLSL_FRAGMENT, GLSL_COMPUTE};
static const char *const targets[] = {"vulkan1.1", "spirv1.4", "vulkan1.2", "vulkan1.3"};

static void compile(enum glsl_stage stage, const char *target, const char *source, struct wire *reply)
{
    struct glsl_result module =
        glsl_compile(&(struct glsl_request){.stage = stage, .target = target, .source = source});
    wire_put_u32(reply, module.words ? 1 : 0);
    if (module.words)
        wire_put(reply, module.words, module.word_count * sizeof *module.words);
    else
        wire_put(reply, module.messages, strlen(module.messages));
    glsl_result_finish(&module);
}

int main(void)
{
    struct wire request = {0}, reply = {0};
    if (!glsl_start()) {
        fprintf(stderr, "glslang does not start\n");
        return 1;
    }
    while (wire_receive(&request)) {
        const uint32_t stage = wire_u32(&request);
        const uint32_t target = wire_u32(&request);
        if (stage >= sizeof stages / sizeof *stages || target >= sizeof targets / sizeof *targets) {
            fprintf(stderr, "no stage has number %u, or no target number %u\n", stage, target);
            return 2;
        }
        wire_room(&request, request.size_B + 1);
        request.bytes[request.size_B] = 0;
        compile(stages[stage], targets[target], (const char *)request.bytes + request.at, &reply);
        wire_send(&reply);
    }
    glsl_end();
    free(request.bytes);
    free(reply.bytes);
    return 0;
}
