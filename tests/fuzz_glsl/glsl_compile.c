/* SPDX-License-Identifier: MIT
 *
 * Compiles GLSL to SPIR-V 1.3 with glslang's library. A glslangValidator process takes 0.1 s to parse the built-in
 * functions before it reads its input; this server does that only once.
 *
 * Request: stage (0 vertex, 1 fragment, 2 compute), then the source. Reply: 1 and the words of the module, or 0 and
 * glslang's messages.
 */
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include "glsl_wire.h"

static const glslang_stage_t stages[] = {GLSLANG_STAGE_VERTEX, GLSLANG_STAGE_FRAGMENT, GLSLANG_STAGE_COMPUTE};

static void refuse(struct wire *reply, const char *why)
{
    wire_put_u32(reply, 0);
    wire_put(reply, why, strlen(why));
}

static void compile(glslang_stage_t stage, const char *source, struct wire *reply)
{
    const glslang_messages_t messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT;
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = stage,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_1,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_3,
        .code = source,
        .default_version = 450,
        .default_profile = GLSLANG_NO_PROFILE,
        .messages = messages,
        .resource = glslang_default_resource(),
    };
    glslang_shader_t *shader = glslang_shader_create(&input);
    glslang_program_t *program = glslang_program_create();
    if (!glslang_shader_preprocess(shader, &input) || !glslang_shader_parse(shader, &input)) {
        refuse(reply, glslang_shader_get_info_log(shader));
    } else {
        glslang_program_add_shader(program, shader);
        if (!glslang_program_link(program, (int)messages)) {
            refuse(reply, glslang_program_get_info_log(program));
        } else {
            glslang_program_SPIRV_generate(program, stage);
            wire_put_u32(reply, 1);
            wire_put(reply, glslang_program_SPIRV_get_ptr(program), glslang_program_SPIRV_get_size(program) * 4);
        }
    }
    glslang_program_delete(program);
    glslang_shader_delete(shader);
}

int main(void)
{
    struct wire request = {0}, reply = {0};
    if (!glslang_initialize_process()) {
        fprintf(stderr, "glslang does not start\n");
        return 1;
    }
    while (wire_receive(&request)) {
        const uint32_t stage = wire_u32(&request);
        if (stage >= sizeof stages / sizeof *stages) {
            fprintf(stderr, "no stage has number %u\n", stage);
            return 2;
        }
        wire_room(&request, request.size_B + 1);
        request.bytes[request.size_B] = 0;
        compile(stages[stage], (const char *)request.bytes + request.at, &reply);
        wire_send(&reply);
    }
    glslang_finalize_process();
    free(request.bytes);
    free(reply.bytes);
    return 0;
}
