/* SPDX-License-Identifier: MIT
 *
 * Compiles GLSL to SPIR-V 1.3 to 1.6 and translates modules between words and text, as a server: starting processes
 * would take a tenth of the fuzzer's time.
 *
 * Request: what to do, target (0 SPIR-V 1.3 to 3 SPIR-V 1.6), then a source or a module. Reply: 1 and the words of the
 * module or its text, or 0 and messages.
 */
#include "../shaders/glsl.h"
#include "glsl_wire.h"

#include <spirv-tools/libspirv.h>

/* The first three are stages of GLSL. */
enum task { TASK_DISASSEMBLE = 3, TASK_ASSEMBLE };

static const enum glsl_stage stages[] = {GLSL_VERTEX, GLSL_FRAGMENT, GLSL_COMPUTE};
static const char *const targets[] = {"vulkan1.1", "spirv1.4", "vulkan1.2", "vulkan1.3"};
static const spv_target_env spirv_targets[] = {SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                               SPV_ENV_UNIVERSAL_1_6};

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

static void reply_with(const void *bytes, size_t size_B, spv_diagnostic diagnostic, struct wire *reply)
{
    wire_put_u32(reply, bytes ? 1 : 0);
    if (bytes)
        wire_put(reply, bytes, size_B);
    else if (diagnostic)
        wire_put(reply, diagnostic->error, strlen(diagnostic->error));
    spvDiagnosticDestroy(diagnostic);
}

/* Ids are written as numbers. */
static void disassemble(spv_target_env target, const void *bytes, size_t size_B, struct wire *reply)
{
    const spv_context context = spvContextCreate(target);
    spv_diagnostic diagnostic = NULL;
    spv_text text = NULL;
    spvBinaryToText(context, bytes, size_B / sizeof(uint32_t), SPV_BINARY_TO_TEXT_OPTION_NONE, &text, &diagnostic);
    reply_with(text ? text->str : NULL, text ? text->length : 0, diagnostic, reply);
    spvTextDestroy(text);
    spvContextDestroy(context);
}

static void assemble(spv_target_env target, const char *text, size_t size_B, struct wire *reply)
{
    const spv_context context = spvContextCreate(target);
    spv_diagnostic diagnostic = NULL;
    spv_binary module = NULL;
    spvTextToBinary(context, text, size_B, &module, &diagnostic);
    reply_with(module ? module->code : NULL, module ? module->wordCount * sizeof(uint32_t) : 0, diagnostic, reply);
    spvBinaryDestroy(module);
    spvContextDestroy(context);
}

int main(void)
{
    struct wire request = {0}, reply = {0};
    if (!glsl_start()) {
        fprintf(stderr, "glslang does not start\n");
        return 1;
    }
    while (wire_receive(&request)) {
        const uint32_t task = wire_u32(&request);
        const uint32_t target = wire_u32(&request);
        if (task > TASK_ASSEMBLE || target >= sizeof targets / sizeof *targets) {
            fprintf(stderr, "no task has number %u, or no target number %u\n", task, target);
            return 2;
        }
        wire_room(&request, request.size_B + 1);
        request.bytes[request.size_B] = 0;
        const void *const rest = request.bytes + request.at;
        const size_t rest_B = request.size_B - request.at;
        if (task == TASK_DISASSEMBLE)
            disassemble(spirv_targets[target], rest, rest_B, &reply);
        else if (task == TASK_ASSEMBLE)
            assemble(spirv_targets[target], rest, rest_B, &reply);
        else
            compile(stages[task], targets[target], rest, &reply);
        wire_send(&reply);
    }
    glsl_end();
    free(request.bytes);
    free(reply.bytes);
    return 0;
}
