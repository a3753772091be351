/* SPDX-License-Identifier: MIT
 *
 * Relies on glslang's C interface as Debian 12 (glslang 12) and Debian 13 (glslang 15) have it.
 */
#include "glsl.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <string.h>

static const glslang_stage_t stages[] = {
    [GLSL_VERTEX] = GLSLANG_STAGE_VERTEX,
    [GLSL_FRAGMENT] = GLSLANG_STAGE_FRAGMENT,
    [GLSL_COMPUTE] = GLSLANG_STAGE_COMPUTE,
    [GLSL_GEOMETRY] = GLSLANG_STAGE_GEOMETRY,
    [GLSL_TESS_CONTROL] = GLSLANG_STAGE_TESSCONTROL,
    [GLSL_TESS_EVALUATION] = GLSLANG_STAGE_TESSEVALUATION,
    [GLSL_TASK] = GLSLANG_STAGE_TASK_NV, /* newer headers have a new name, too */
    [GLSL_MESH] = GLSLANG_STAGE_MESH_NV,
};

static const struct target {
    const char *name;
    glslang_target_client_version_t vulkan;
    glslang_target_language_version_t spirv;
} targets[] = {
    {"vulkan1.0", GLSLANG_TARGET_VULKAN_1_0, GLSLANG_TARGET_SPV_1_0},
    {"vulkan1.1", GLSLANG_TARGET_VULKAN_1_1, GLSLANG_TARGET_SPV_1_3},
    {"vulkan1.2", GLSLANG_TARGET_VULKAN_1_2, GLSLANG_TARGET_SPV_1_5},
    {"vulkan1.3", GLSLANG_TARGET_VULKAN_1_3, GLSLANG_TARGET_SPV_1_6},
    {"spirv1.4", GLSLANG_TARGET_VULKAN_1_1, GLSLANG_TARGET_SPV_1_4},
};

static const struct target *find_target(const char *name)
{
    for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++) {
        if (strcmp(name, targets[i].name) == 0)
            return &targets[i];
    }
    return name ? NULL : &targets[0];
}

bool glsl_start(void)
{
    return glslang_initialize_process();
}

void glsl_end(void)
{
    glslang_finalize_process();
}

bool glsl_knows_target(const char *target)
{
    return find_target(target);
}

static void generate(glslang_program_t *program, glslang_stage_t stage, const struct glsl_request *request)
{
    glslang_spv_options_t options = {
        .generate_debug_info = request->debug_name,
        .emit_nonsemantic_shader_debug_info = request->has_debug_set,
        .emit_nonsemantic_shader_debug_source = request->has_debug_set,
        .disable_optimizer = true,
    };
    if (request->debug_name) {
        glslang_program_add_source_text(program, stage, request->source, strlen(request->source));
        glslang_program_set_source_file(program, stage, request->debug_name);
    }
    glslang_program_SPIRV_generate_with_options(program, stage, &options);
}

struct glsl_result glsl_compile(const struct glsl_request *request)
{
    const struct target *target = find_target(request->target);
    const glslang_messages_t messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT;
    const glslang_stage_t stage = stages[request->stage];
    glslang_resource_t limits = *glslang_default_resource();
    limits.min_program_texel_offset = -32; /* of the driver and of lavapipe; the default is what every device has */
    limits.max_program_texel_offset = 31;
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = stage,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = target->vulkan,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = target->spirv,
        .code = request->source,
        .default_version = 450,
        .default_profile = GLSLANG_NO_PROFILE,
        .messages = messages,
        .resource = &limits,
    };
    glslang_shader_t *shader = glslang_shader_create(&input);
    glslang_program_t *program = glslang_program_create();
    struct glsl_result result = {.shader = shader, .program = program};
    if (request->is_relaxed)
        glslang_shader_set_options(shader, GLSLANG_SHADER_AUTO_MAP_BINDINGS | GLSLANG_SHADER_AUTO_MAP_LOCATIONS |
                                               GLSLANG_SHADER_VULKAN_RULES_RELAXED);
    if (request->preamble)
        glslang_shader_set_preamble(shader, request->preamble);
    const bool is_parsed = glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input);
    result.messages = glslang_shader_get_info_log(shader);
    if (!is_parsed)
        return result;
    glslang_program_add_shader(program, shader);
    if (!glslang_program_link(program, (int)messages) || (request->is_relaxed && !glslang_program_map_io(program))) {
        result.messages = glslang_program_get_info_log(program);
        return result;
    }
    generate(program, stage, request);
    result.words = glslang_program_SPIRV_get_ptr(program);
    result.word_count = glslang_program_SPIRV_get_size(program);
    return result;
}

void glsl_result_finish(struct glsl_result *result)
{
    glslang_program_delete(result->program);
    glslang_shader_delete(result->shader);
    *result = (struct glsl_result){0};
}
